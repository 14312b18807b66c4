# The workspaces paper's figure 1: a product of sparse matrices, one row at a time.
tensor A f64[4,3] csr = (0,0):2 (0,2):3 (2,1):4 (3,0):1 (3,1):1 (3,2):1
tensor B f64[3,5] csr = (0,1):1 (0,4):2 (1,0):5 (1,4):-2 (2,1):7
result C csr
expr C(i,k) = A(i,j) * B(j,k)

> cin
forall i (forall k C(i,k) = t(k)) where (forall j forall k t(k) += A(i,j) * B(j,k))
> lattice k
produce B(j,k).2
produce t(k).1
> graph
C(i,k).1 located, C(i,k).2 appended
i over the dimension
  where t in slots with bits, taken out as it is read
    j over A(i,j).2
      k over B(j,k).2
        t(k) += A(i,j) * B(j,k), inserted
  then
    k over t(k).1, with room for all
      C(i,k) = t(k), appended
> loops
kernel kernel(i_dim: i64, k_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[], t1_pos: temp i64[], t1_crd: temp i64[], t_vals: temp f64[], t_slots: temp kept f64[], t_bits0: temp kept i64[], t_bits1: temp kept i64[], t_bits2: temp kept i64[]) {
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
      let a_val: f64 = A_vals[pA2_2]
      let pB2: i64 = B2_pos[j]
      let B2_end: i64 = B2_pos[j + 1]
      for pB2_2 in pB2..B2_end {
        let k: i64 = i64(B2_crd[pB2_2])
        let value: f64 = a_val * B_vals[pB2_2]
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
        t_slots[k] += value
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
                  let value_2: f64 = t_slots[at_3]
                  t_slots[at_3] = 0.0
                  C_vals[pC2] = value_2
                  C2_crd[pC2] = i32(at_3)
                  pC2 = pC2 + 1
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
loads 95, stores 58, branches 97, rounds 40
> out
C = (0,1):23 (0,4):4 (2,0):20 (2,4):-8 (3,0):5 (3,1):8
