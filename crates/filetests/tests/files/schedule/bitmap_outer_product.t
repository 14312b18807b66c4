# The whole product in a bitmap workspace over both variables.
tensor B f64[5,4] csc = (0,2):2 (0,3):3 (1,0):1 (1,1):3 (1,3):3 (2,1):4 (2,2):3 (2,3):4 (3,2):3 (3,3):1 (4,2):4
tensor C f64[4,6] csr = (0,0):1 (0,1):4 (0,2):1 (0,3):2 (0,5):3 (1,0):1 (1,3):1 (1,4):4 (2,1):4 (2,3):3 (3,0):1 (3,5):2
result A csr
schedule precompute(B(i,k)*C(k,j), {i,j}, w, bitmap)
expr A(i,j) = B(i,k) * C(k,j)
> cin
(forall i forall j A(i,j) = w(i,j)) where[bitmap] (forall k forall i forall j w(i,j) += B(i,k) * C(k,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out i32[], A_vals: out f64[], w1_pos: temp i64[], w1_crd: temp i64[], w2_pos: temp i64[], w2_crd: temp i64[], w_vals: temp f64[], w_slots: temp f64[], w_bits0: temp i64[], w_bits1: temp i64[], w_bits2: temp i64[]) {
  if quot(9223372036854775807, max(j_dim, 1)) < i_dim {
    fail(index_overflow)
  }
  reserve(w_slots, i_dim * j_dim)
  reserve(w_bits0, shr(i_dim * j_dim + 63, 6))
  reserve(w_bits1, shr(shr(i_dim * j_dim + 63, 6) + 63, 6))
  reserve(w_bits2, shr(shr(shr(i_dim * j_dim + 63, 6) + 63, 6) + 63, 6))
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
      let inv: i64 = i * j_dim
      for pC2_2 in pC2..C2_end {
        let j: i64 = i64(C2_crd[pC2_2])
        let at: i64 = inv + j
        let value: f64 = b_val * C_vals[pC2_2]
        let word: i64 = shr(at, 6)
        let old: i64 = w_bits0[word]
        let bit: i64 = shl(1, at & 63)
        if old & bit == 0 {
          w_bits0[word] = old | bit
          if old == 0 {
            let word_2: i64 = shr(word, 6)
            let old_2: i64 = w_bits1[word_2]
            w_bits1[word_2] = old_2 | shl(1, word & 63)
            if old_2 == 0 {
              let word_3: i64 = shr(word_2, 6)
              let old_3: i64 = w_bits2[word_3]
              w_bits2[word_3] = old_3 | shl(1, word_2 & 63)
            }
          }
        }
        w_slots[at] += value
      }
    }
  }
  let w1_count: i64 = 0
  let w1_latest: i64 = -1
  let w2_count: i64 = 0
  for top in 0..shr(shr(shr(i_dim * j_dim + 63, 6) + 63, 6) + 63, 6) {
    let left: i64 = w_bits2[top]
    if left != 0 {
      w_bits2[top] = 0
      while left != 0 {
        let at_2: i64 = top * 64 + ctz(left)
        let left_2: i64 = w_bits1[at_2]
        if left_2 != 0 {
          w_bits1[at_2] = 0
          while left_2 != 0 {
            let at_3: i64 = at_2 * 64 + ctz(left_2)
            let left_3: i64 = w_bits0[at_3]
            if left_3 != 0 {
              w_bits0[at_3] = 0
              reserve(w2_crd, w2_count + 64)
              reserve(w_vals, w2_count + 64)
              reserve(w1_crd, w2_count + 64)
              reserve(w2_pos, w2_count + 65)
              let inv_2: i64 = at_3 * 64
              while left_3 != 0 {
                let at_4: i64 = inv_2 + ctz(left_3)
                let value_2: f64 = w_slots[at_4]
                w_slots[at_4] = 0.0
                let c: i64 = quot(at_4, j_dim)
                let rest: i64 = at_4 - c * j_dim
                if c != w1_latest {
                  w1_crd[w1_count] = c
                  w2_pos[w1_count] = w2_count
                  w1_count = w1_count + 1
                  w1_latest = c
                }
                w2_crd[w2_count] = rest
                w_vals[w2_count] = value_2
                w2_count = w2_count + 1
                left_3 = left_3 & left_3 - 1
              }
            }
            left_2 = left_2 & left_2 - 1
          }
        }
        left = left & left - 1
      }
    }
  }
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
  for q in 0..i_dim {
    if A2_pos[q + 1] < A2_pos[q] {
      A2_pos[q + 1] = A2_pos[q]
    }
  }
  set_len(A2_pos, i_dim + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> out
A = 3 8 0 6 0 6 7 4 1 5 12 9 8 12 0 13 16 8 1 12 0 9 0 2 0 16 0 12 0 0
