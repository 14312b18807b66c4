# The whole product in a hash workspace over both variables.
tensor B f64[5,4] csc = (0,0):2 (0,2):1 (0,3):3 (1,2):2 (2,0):4 (2,1):3 (2,2):1 (2,3):3 (3,2):2 (3,3):2 (4,0):3 (4,1):1 (4,2):3 (4,3):4
tensor C f64[4,6] csr = (0,1):3 (0,2):2 (0,3):2 (0,4):1 (1,0):3 (1,3):1 (1,4):4 (2,2):4 (2,3):4 (2,4):1 (2,5):4 (3,0):2 (3,4):4 (3,5):3
result A csr
schedule precompute(B(i,k)*C(k,j), {i,j}, w, hash)
expr A(i,j) = B(i,k) * C(k,j)
> cin
(forall i forall j A(i,j) = w(i,j)) where[hash] (forall k forall i forall j w(i,j) += B(i,k) * C(k,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out i32[], A_vals: out f64[], w1_pos: temp i64[], w1_crd: temp i64[], w2_pos: temp i64[], w2_crd: temp i64[], w_vals: temp f64[], w_table: temp i64[], w_keys: temp i64[], w_slots: temp f64[], w_homes: temp i64[], w_sorted: temp i64[], w_spare: temp i64[], w_buckets: temp i64[]) {
  if quot(9223372036854775807, max(j_dim, 1)) < i_dim {
    fail(index_overflow)
  }
  let w_len: i64 = 0
  let w_mask: i64 = 63
  reserve(w_table, 64)
  let pA2: i64 = 0
  reserve(A2_pos, i_dim + 1)
  A2_pos[0] = 0
  for k in 0..k_dim {
    let pB2: i64 = B2_pos[k]
    let B2_end: i64 = B2_pos[k + 1]
    for pB2_2 in pB2..B2_end {
      let i: i64 = i64(B2_crd[pB2_2])
      let b_val: f64 = B_vals[pB2_2]
      let pC2: i64 = C2_pos[k]
      let C2_end: i64 = C2_pos[k + 1]
      for pC2_2 in pC2..C2_end {
        let j: i64 = i64(C2_crd[pC2_2])
        let at: i64 = i * j_dim + j
        let value: f64 = b_val * C_vals[pC2_2]
        let home: i64 = shr(at * -7046029254386353131, 32) & w_mask
        while w_table[home] != 0 && w_keys[w_table[home] - 1] != at {
          home = home + 1 & w_mask
        }
        let held: i64 = w_table[home]
        if held == 0 {
          reserve(w_keys, w_len + 1)
          reserve(w_slots, w_len + 1)
          reserve(w_homes, w_len + 1)
          w_keys[w_len] = at
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
              let home_2: i64 = shr(w_keys[q] * -7046029254386353131, 32) & w_mask
              while w_table[home_2] != 0 {
                home_2 = home_2 + 1 & w_mask
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
  }
  let w1_count: i64 = 0
  let w1_latest: i64 = -1
  let w2_count: i64 = 0
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
    while shift < 63 && 0 < shr(i_dim * j_dim - 1, shift) {
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
        let at_2: i64 = w_buckets[byte]
        w_buckets[byte] = at_2 + 1
        w_spare[at_2] = w_sorted[q_4]
      }
      for q_4 in 0..w_len {
        w_sorted[q_4] = w_spare[q_4]
      }
      shift = shift + 8
    }
  }
  reserve(w2_crd, w2_count + w_len)
  reserve(w_vals, w2_count + w_len)
  reserve(w1_crd, w2_count + w_len)
  reserve(w2_pos, w2_count + w_len + 1)
  for q_2 in 0..w_len {
    let key: i64 = w_sorted[q_2]
    let home_3: i64 = shr(key * -7046029254386353131, 32) & w_mask
    while w_table[home_3] != 0 && w_keys[w_table[home_3] - 1] != key {
      home_3 = home_3 + 1 & w_mask
    }
    let value_2: f64 = w_slots[w_table[home_3] - 1]
    let c: i64 = quot(key, j_dim)
    let rest: i64 = key - c * j_dim
    if c != w1_latest {
      w1_crd[w1_count] = c
      w2_pos[w1_count] = w2_count
      w1_count = w1_count + 1
      w1_latest = c
    }
    w2_crd[w2_count] = rest
    w_vals[w2_count] = value_2
    w2_count = w2_count + 1
  }
  for q_5 in 0..w_len {
    w_table[w_homes[q_5]] = 0
  }
  w_len = 0
  reserve(w1_pos, 2)
  w1_pos[0] = 0
  w1_pos[1] = w1_count
  reserve(w2_pos, w1_count + 1)
  w2_pos[w1_count] = w2_count
  let pw1: i64 = w1_pos[0]
  let w1_end: i64 = w1_pos[1]
  for pw1_2 in pw1..w1_end {
    let i_2: i64 = w1_crd[pw1_2]
    let pw2: i64 = w2_pos[pw1_2]
    let w2_end: i64 = w2_pos[pw1_2 + 1]
    reserve(A2_crd, pA2 + (w2_end - pw2))
    reserve(A_vals, pA2 + (w2_end - pw2))
    for pw2_2 in pw2..w2_end {
      let j_2: i64 = w2_crd[pw2_2]
      A_vals[pA2] = w_vals[pw2_2]
      A2_crd[pA2] = i32(j_2)
      pA2 = pA2 + 1
    }
    A2_pos[i_2 + 1] = pA2
  }
  for q_6 in 0..i_dim {
    if A2_pos[q_6 + 1] < A2_pos[q_6] {
      A2_pos[q_6 + 1] = A2_pos[q_6]
    }
  }
  set_len(A2_pos, i_dim + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> out
A = 6 6 8 8 15 13 0 0 8 8 2 8 15 12 12 15 29 13 4 0 8 8 10 14 11 9 18 19 26 24
