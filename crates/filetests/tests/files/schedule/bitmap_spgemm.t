# A row of a product in a bitmap workspace; rows 1 and 3 are empty.
tensor B f64[5,5] csr = (0,1):3 (0,2):3 (0,4):1 (2,0):4 (2,3):1 (2,4):1 (4,1):2 (4,2):3 (4,4):4
tensor C f64[5,6] csr = (0,1):4 (0,2):1 (0,3):4 (0,4):1 (1,0):2 (1,2):2 (1,3):2 (2,0):2 (2,3):3 (3,0):3 (3,1):1 (3,4):3 (4,1):4 (4,3):3 (4,5):3
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, bitmap)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[bitmap] (forall k forall j w(j) += B(i,k) * C(k,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out uninit i32[], A_vals: out uninit f64[], w1_pos: temp i64[], w1_crd: temp i64[], w_vals: temp f64[], w_slots: temp kept f64[], w_bits0: temp kept i64[], w_bits1: temp kept i64[], w_bits2: temp kept i64[]) {
  reserve(w_slots, j_dim)
  reserve(w_bits0, shr(j_dim + 63, 6))
  reserve(w_bits1, shr(shr(j_dim + 63, 6) + 63, 6))
  reserve(w_bits2, shr(shr(shr(j_dim + 63, 6) + 63, 6) + 63, 6))
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
        let word: i64 = shr(j, 6)
        let old: i64 = w_bits0[word]
        let bit: i64 = shl(1, j & 63)
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
        w_slots[j] += value
      }
    }
    for top in 0..shr(shr(shr(j_dim + 63, 6) + 63, 6) + 63, 6) {
      let left: i64 = w_bits2[top]
      if left != 0 {
        w_bits2[top] = 0
        while left != 0 {
          let at: i64 = top * 64 + ctz(left)
          let left_2: i64 = w_bits1[at]
          if left_2 != 0 {
            w_bits1[at] = 0
            while left_2 != 0 {
              let at_2: i64 = at * 64 + ctz(left_2)
              let left_3: i64 = w_bits0[at_2]
              if left_3 != 0 {
                w_bits0[at_2] = 0
                reserve(A2_crd, pA2 + 64)
                reserve(A_vals, pA2 + 64)
                let inv: i64 = at_2 * 64
                while left_3 != 0 {
                  let at_3: i64 = inv + ctz(left_3)
                  let value_2: f64 = w_slots[at_3]
                  w_slots[at_3] = 0.0
                  A_vals[pA2] = value_2
                  A2_crd[pA2] = i32(at_3)
                  pA2 = pA2 + 1
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
    A2_pos[i_shift + i + 1] = pA2
  }
  set_len(A2_pos, i_part + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> counts
loads 183, stores 111, branches 158, rounds 70
> out
A = 12 4 6 18 0 3 0 0 0 0 0 0 3 21 4 19 7 3 0 0 0 0 0 0 10 16 4 25 0 12
