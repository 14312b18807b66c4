# Two stages into one workspace.
tensor B f64[3,6] csr = (0,1):3 (0,2):1 (0,4):1 (0,5):1 (1,0):4 (1,1):2 (1,3):4 (1,4):3 (2,0):2 (2,2):3 (2,4):4
tensor C f64[3,6] csr = (0,1):4 (0,5):2 (1,3):3 (1,4):2 (1,5):2 (2,0):3 (2,1):1 (2,2):2 (2,4):4
result A csr
schedule precompute(B(i,j)+C(i,j), j, w, hash); precompute(B(i,j), j, w)
expr A(i,j) = B(i,j) + C(i,j)
> cin
forall i (forall j A(i,j) = w(j)) where[hash] ({forall j w(j) = B(i,j); forall j w(j) += C(i,j)})
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out i32[], A_vals: out f64[], w1_pos: temp i64[], w1_crd: temp i64[], w_vals: temp f64[], w_table: temp i64[], w_keys: temp i64[], w_slots: temp f64[], w_homes: temp i64[], w_sorted: temp i64[], w_spare: temp i64[], w_buckets: temp i64[]) {
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
      let j: i64 = i64(B2_crd[pB2_2])
      let value: f64 = B_vals[pB2_2]
      if value != 0.0 {
        let home: i64 = shr(j * -7046029254386353131, 32) & w_mask
        while w_table[home] != 0 && w_keys[w_table[home] - 1] != j {
          home = home + 1 & w_mask
        }
        let held: i64 = w_table[home]
        if held == 0 {
          reserve(w_keys, w_len + 1)
          reserve(w_slots, w_len + 1)
          reserve(w_homes, w_len + 1)
          w_keys[w_len] = j
          w_homes[w_len] = home
          w_slots[w_len] = value
          w_table[home] = w_len + 1
          w_len = w_len + 1
          if w_mask < w_len * 2 {
            w_mask = w_mask * 2 + 1
            reserve(w_table, w_mask + 1)
            for q in 0..w_mask + 1 {
              w_table[q] = 0
            }
            for q in 0..w_len {
              let home_2: i64 = shr(w_keys[q] * -7046029254386353131, 32) & w_mask
              while w_table[home_2] != 0 {
                home_2 = home_2 + 1 & w_mask
              }
              w_table[home_2] = q + 1
              w_homes[q] = home_2
            }
          }
        } else {
          w_slots[held - 1] = value
        }
      }
    }
    let pC2: i64 = C2_pos[i]
    let C2_end: i64 = C2_pos[i + 1]
    for pC2_2 in pC2..C2_end {
      let j_2: i64 = i64(C2_crd[pC2_2])
      let value_2: f64 = C_vals[pC2_2]
      let home_3: i64 = shr(j_2 * -7046029254386353131, 32) & w_mask
      while w_table[home_3] != 0 && w_keys[w_table[home_3] - 1] != j_2 {
        home_3 = home_3 + 1 & w_mask
      }
      let held_2: i64 = w_table[home_3]
      if held_2 == 0 {
        reserve(w_keys, w_len + 1)
        reserve(w_slots, w_len + 1)
        reserve(w_homes, w_len + 1)
        w_keys[w_len] = j_2
        w_homes[w_len] = home_3
        w_slots[w_len] = 0.0 + value_2
        w_table[home_3] = w_len + 1
        w_len = w_len + 1
        if w_mask < w_len * 2 {
          w_mask = w_mask * 2 + 1
          reserve(w_table, w_mask + 1)
          for q_2 in 0..w_mask + 1 {
            w_table[q_2] = 0
          }
          for q_2 in 0..w_len {
            let home_4: i64 = shr(w_keys[q_2] * -7046029254386353131, 32) & w_mask
            while w_table[home_4] != 0 {
              home_4 = home_4 + 1 & w_mask
            }
            w_table[home_4] = q_2 + 1
            w_homes[q_2] = home_4
          }
        }
      } else {
        w_slots[held_2 - 1] += value_2
      }
    }
    reserve(w_sorted, w_len)
    for q_3 in 0..w_len {
      w_sorted[q_3] = w_keys[q_3]
    }
    if w_len <= 48 {
      for q_4 in 1..w_len {
        let x: i64 = w_sorted[q_4]
        let p: i64 = q_4
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
        for q_5 in 0..w_len {
          w_buckets[shr(w_sorted[q_5], shift) & 255] += 1
        }
        let sum: i64 = 0
        for byte in 0..256 {
          let n: i64 = w_buckets[byte]
          w_buckets[byte] = sum
          sum = sum + n
        }
        for q_5 in 0..w_len {
          let byte: i64 = shr(w_sorted[q_5], shift) & 255
          let at: i64 = w_buckets[byte]
          w_buckets[byte] = at + 1
          w_spare[at] = w_sorted[q_5]
        }
        for q_5 in 0..w_len {
          w_sorted[q_5] = w_spare[q_5]
        }
        shift = shift + 8
      }
    }
    reserve(A2_crd, pA2 + w_len)
    reserve(A_vals, pA2 + w_len)
    for q_3 in 0..w_len {
      let key: i64 = w_sorted[q_3]
      let home_5: i64 = shr(key * -7046029254386353131, 32) & w_mask
      while w_table[home_5] != 0 && w_keys[w_table[home_5] - 1] != key {
        home_5 = home_5 + 1 & w_mask
      }
      let value_3: f64 = w_slots[w_table[home_5] - 1]
      A_vals[pA2] = value_3
      A2_crd[pA2] = i32(key)
      pA2 = pA2 + 1
    }
    for q_6 in 0..w_len {
      w_table[w_homes[q_6]] = 0
    }
    w_len = 0
    A2_pos[i_shift + i + 1] = pA2
  }
  set_len(A2_pos, i_part + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> out
A = 0 7 1 0 1 3 4 2 0 7 5 2 5 1 5 0 8 0
