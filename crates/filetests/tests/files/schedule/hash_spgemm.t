# A row of a product in a hash workspace; rows 1 and 3 are empty.
tensor B f64[5,5] csr = (0,0):4 (0,4):4 (2,1):4 (2,2):3 (2,3):1 (2,4):4 (4,4):2
tensor C f64[5,6] csr = (0,1):4 (0,2):1 (0,3):4 (0,4):1 (1,0):2 (1,2):2 (1,3):2 (2,0):2 (2,3):3 (3,0):3 (3,1):1 (3,4):3 (4,1):4 (4,3):3 (4,5):3
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, hash)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[hash] (forall k forall j w(j) += B(i,k) * C(k,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out uninit i32[], A_vals: out uninit f64[], w1_pos: temp i64[], w1_crd: temp i64[], w_vals: temp f64[], w_table: temp kept i64[], w_keys: temp kept i64[], w_slots: temp kept f64[], w_homes: temp kept i64[], w_sorted: temp kept i64[], w_spare: temp kept i64[], w_buckets: temp kept i64[]) {
  let w_len: i64 = 0
  let w_mask: i64 = 63
  reserve(w_table, 64)
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pA2: i64 = 0
  reserve(A2_pos, i_part + 1)
  A2_pos[0] = 0
  for i in i_begin..i_end {
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    for pB2_2 in pB2..B2_end {
      let k: i64 = i64(B2_crd[pB2_2])
      let b_val: f64 = B_vals[pB2_2]
      let pC2: i64 = C2_pos[k]
      let C2_end: i64 = C2_pos[k + 1]
      for pC2_2 in pC2..C2_end {
        let j: i64 = i64(C2_crd[pC2_2])
        let value: f64 = b_val * C_vals[pC2_2]
        let home: i64 = j
        home = (home ^ shr(home, 32) & 4294967295) * -2960836687051489901
        home = (home ^ shr(home, 32) & 4294967295) * -2960836687051489901
        home = (home ^ shr(home, 32) & 4294967295) & w_mask
        while w_table[home] != 0 && w_keys[w_table[home] - 1] != j {
          home = home + 1 & w_mask
        }
        let held: i64 = w_table[home]
        if held == 0 {
          reserve(w_keys, w_len + 1)
          reserve(w_slots, w_len + 1)
          reserve(w_homes, w_len + 1)
          let start: i64 = j
          start = (start ^ shr(start, 32) & 4294967295) * -2960836687051489901
          start = (start ^ shr(start, 32) & 4294967295) * -2960836687051489901
          start = (start ^ shr(start, 32) & 4294967295) & w_mask
          if 1024 < home - start & w_mask {
            fail(crowded)
          }
          w_keys[w_len] = j
          w_homes[w_len] = home
          w_slots[w_len] = 0.0 + value
          w_table[home] = w_len + 1
          w_len = w_len + 1
          if w_mask < w_len * 2 {
            w_mask = w_mask * 2 + 1
            reserve(w_table, w_mask + 1)
            for q in 0..w_mask + 1 {
              w_table[q] = 0
            }
            for q in 0..w_len {
              let start_2: i64 = w_keys[q]
              start_2 = (start_2 ^ shr(start_2, 32) & 4294967295) * -2960836687051489901
              start_2 = (start_2 ^ shr(start_2, 32) & 4294967295) * -2960836687051489901
              start_2 = (start_2 ^ shr(start_2, 32) & 4294967295) & w_mask
              let home_2: i64 = start_2
              while w_table[home_2] != 0 {
                home_2 = home_2 + 1 & w_mask
              }
              if 1024 < home_2 - start_2 & w_mask {
                fail(crowded)
              }
              w_table[home_2] = q + 1
              w_homes[q] = home_2
            }
          }
        } else {
          w_slots[held - 1] += value
        }
      }
    }
    reserve(w_sorted, w_len)
    for q_2 in 0..w_len {
      w_sorted[q_2] = w_keys[q_2]
    }
    if w_len <= 48 {
      for q_3 in 1..w_len {
        let x: i64 = w_sorted[q_3]
        let p: i64 = q_3
        while 0 < p && x < w_sorted[p - 1] {
          w_sorted[p] = w_sorted[p - 1]
          p = p - 1
        }
        w_sorted[p] = x
      }
    } else {
      reserve(w_spare, w_len)
      reserve(w_buckets, 256)
      let shift: i64 = 0
      while shift < 63 && 0 < shr(j_dim - 1, shift) {
        for byte in 0..256 {
          w_buckets[byte] = 0
        }
        for q_4 in 0..w_len {
          w_buckets[shr(w_sorted[q_4], shift) & 255] += 1
        }
        let sum: i64 = 0
        for byte in 0..256 {
          let n: i64 = w_buckets[byte]
          w_buckets[byte] = sum
          sum = sum + n
        }
        for q_4 in 0..w_len {
          let byte: i64 = shr(w_sorted[q_4], shift) & 255
          let at: i64 = w_buckets[byte]
          w_buckets[byte] = at + 1
          w_spare[at] = w_sorted[q_4]
        }
        for q_4 in 0..w_len {
          w_sorted[q_4] = w_spare[q_4]
        }
        shift = shift + 8
      }
    }
    reserve(A2_crd, pA2 + w_len)
    reserve(A_vals, pA2 + w_len)
    for q_2 in 0..w_len {
      let key: i64 = w_sorted[q_2]
      let home_3: i64 = key
      home_3 = (home_3 ^ shr(home_3, 32) & 4294967295) * -2960836687051489901
      home_3 = (home_3 ^ shr(home_3, 32) & 4294967295) * -2960836687051489901
      home_3 = (home_3 ^ shr(home_3, 32) & 4294967295) & w_mask
      while w_table[home_3] != 0 && w_keys[w_table[home_3] - 1] != key {
        home_3 = home_3 + 1 & w_mask
      }
      let value_2: f64 = w_slots[w_table[home_3] - 1]
      A_vals[pA2] = value_2
      A2_crd[pA2] = i32(key)
      pA2 = pA2 + 1
    }
    for q_5 in 0..w_len {
      w_table[w_homes[q_5]] = 0
    }
    w_len = 0
    A2_pos[i_shift + i + 1] = pA2
  }
  set_len(A2_pos, i_part + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> counts
loads 281, stores 138, branches 281, rounds 94
> out
A = (0,1):32 (0,2):4 (0,3):28 (0,4):4 (0,5):12 (2,0):17 (2,1):17 (2,2):8 (2,3):29 (2,4):3 (2,5):12 (4,1):8 (4,3):6 (4,5):6
