# A row of the front is asked for once, before the loop over what it would add to a sparse row.
tensor A bool[4,4] csr = (0,1):true (0,3):true (1,2):true (2,0):true (3,3):true
tensor B bool[4,4] csr = (0,0):true (1,2):true (1,3):true (3,1):true
tensor x bool[4] dense = (1):true (2):true
expr C(i,k) = any(j, A(i,j) & x(j) & B(j,k))
> loops
kernel kernel(i_dim: i64, k_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in bool[], x_vals: in bool[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in bool[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit bool[], t1_pos: temp i64[], t1_crd: temp i64[], t_vals: temp bool[], t_slots: temp kept bool[], t_bits0: temp kept i64[], t_bits1: temp kept i64[], t_bits2: temp kept i64[]) {
  reserve(t_slots, k_dim)
  reserve(t_bits0, shr(k_dim + 63, 6))
  reserve(t_bits1, shr(shr(k_dim + 63, 6) + 63, 6))
  reserve(t_bits2, shr(shr(shr(k_dim + 63, 6) + 63, 6) + 63, 6))
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      let a_val: bool = A_vals[pA2_2]
      let x_val: bool = x_vals[j]
      if x_val != false {
        let pB2: i64 = B2_pos[j]
        let B2_end: i64 = B2_pos[j + 1]
        for pB2_2 in pB2..B2_end {
          let k: i64 = i64(B2_crd[pB2_2])
          let value: bool = a_val & x_val & B_vals[pB2_2]
          let word: i64 = shr(k, 6)
          let old: i64 = t_bits0[word]
          let bit: i64 = shl(1, k & 63)
          if old & bit == 0 {
            t_bits0[word] = old | bit
            if old == 0 {
              let word_2: i64 = shr(word, 6)
              let old_2: i64 = t_bits1[word_2]
              t_bits1[word_2] = old_2 | shl(1, word & 63)
              if old_2 == 0 {
                let word_3: i64 = shr(word_2, 6)
                let old_3: i64 = t_bits2[word_3]
                t_bits2[word_3] = old_3 | shl(1, word_2 & 63)
              }
            }
          }
          t_slots[k] |= value
        }
      }
    }
    for top in 0..shr(shr(shr(k_dim + 63, 6) + 63, 6) + 63, 6) {
      let left: i64 = t_bits2[top]
      if left != 0 {
        t_bits2[top] = 0
        while left != 0 {
          let at: i64 = top * 64 + ctz(left)
          let left_2: i64 = t_bits1[at]
          if left_2 != 0 {
            t_bits1[at] = 0
            while left_2 != 0 {
              let at_2: i64 = at * 64 + ctz(left_2)
              let left_3: i64 = t_bits0[at_2]
              if left_3 != 0 {
                t_bits0[at_2] = 0
                reserve(C2_crd, pC2 + 64)
                reserve(C_vals, pC2 + 64)
                let inv: i64 = at_2 * 64
                while left_3 != 0 {
                  let at_3: i64 = inv + ctz(left_3)
                  let value_2: bool = t_slots[at_3]
                  t_slots[at_3] = false
                  if value_2 != false {
                    C_vals[pC2] = value_2
                    C2_crd[pC2] = i32(at_3)
                    pC2 = pC2 + 1
                  }
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
    C2_pos[i_shift + i + 1] = pC2
  }
  set_len(C2_pos, i_part + 1)
  set_len(C2_crd, pC2)
  set_len(C_vals, pC2)
}
> counts
loads 45, stores 20, branches 59, rounds 23
> out
C = (0,2):true (0,3):true
