# A row of C that is empty decides that nothing of a fibre of B counts.
tensor B f64[2,3,4] csf = (0,0,1):2 (0,2,0):3 (0,2,3):4 (1,0,0):5 (1,1,2):6
tensor C f64[3,5] csr = (0,1):1 (0,4):2 (2,0):3
tensor D f64[4,5] csr = (0,0):1 (0,4):3 (1,1):2 (2,1):5 (3,0):4
result A csr
expr A(i,j) = B(i,k,l) * C(k,j) * D(l,j)
> cin
forall i (forall j A(i,j) = t(j)) where (forall k forall l forall j t(j) += B(i,k,l) * C(k,j) * D(l,j))
> graph
A(i,j).1 located, A(i,j).2 appended
i over B(i,k,l).1
  where t in slots with bits, taken out as it is read
    k over B(i,k,l).2
      if C(k,j).2 has elements
        l over B(i,k,l).3
          j over C(k,j).2 and D(l,j).2
            t(j) += B(i,k,l) * C(k,j) * D(l,j), inserted
  then
    j over t(j).1, with room for all
      A(i,j) = t(j), appended
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, l_dim: i64, i_begin: i64, i_end: i64, B1_pos: in i64[], B1_crd: in i32[], B2_pos: in i64[], B2_crd: in i32[], B3_pos: in i64[], B3_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], D2_pos: in i64[], D2_crd: in i32[], D_vals: in f64[], A2_pos: out i64[], A2_crd: out uninit i32[], A_vals: out uninit f64[], t1_pos: temp i64[], t1_crd: temp i64[], t_vals: temp f64[], t_slots: temp kept f64[], t_bits0: temp kept i64[], t_bits1: temp kept i64[], t_bits2: temp kept i64[]) {
  reserve(t_slots, j_dim)
  reserve(t_bits0, shr(j_dim + 63, 6))
  reserve(t_bits1, shr(shr(j_dim + 63, 6) + 63, 6))
  reserve(t_bits2, shr(shr(shr(j_dim + 63, 6) + 63, 6) + 63, 6))
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pA2: i64 = 0
  reserve(A2_pos, i_part + 1)
  A2_pos[0] = 0
  let pB1: i64 = B1_pos[0]
  let B1_end: i64 = B1_pos[1]
  let i_stop: i64 = B1_end
  if 0 < i_begin {
    let first: i64 = pB1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(B1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pB1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pB1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(B1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  for pB1_2 in pB1..i_stop {
    let i: i64 = i64(B1_crd[pB1_2])
    let pB2: i64 = B2_pos[pB1_2]
    let B2_end: i64 = B2_pos[pB1_2 + 1]
    for pB2_2 in pB2..B2_end {
      let k: i64 = i64(B2_crd[pB2_2])
      if C2_pos[k] < C2_pos[k + 1] {
        let pB3: i64 = B3_pos[pB2_2]
        let B3_end: i64 = B3_pos[pB2_2 + 1]
        for pB3_2 in pB3..B3_end {
          let l: i64 = i64(B3_crd[pB3_2])
          let b_val: f64 = B_vals[pB3_2]
          let pC2: i64 = C2_pos[k]
          let C2_end: i64 = C2_pos[k + 1]
          let pD2: i64 = D2_pos[l]
          let D2_end: i64 = D2_pos[l + 1]
          while pC2 < C2_end && pD2 < D2_end {
            let jC: i64 = i64(C2_crd[pC2])
            let jD: i64 = i64(D2_crd[pD2])
            let j: i64 = min(jC, jD)
            let has: bool = jC == j
            let has_2: bool = jD == j
            if has && has_2 {
              let value: f64 = b_val * C_vals[pC2] * D_vals[pD2]
              let word: i64 = shr(j, 6)
              let old: i64 = t_bits0[word]
              let bit: i64 = shl(1, j & 63)
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
              t_slots[j] += value
            }
            pC2 = pC2 + i64(has)
            pD2 = pD2 + i64(has_2)
          }
        }
      }
    }
    for top in 0..shr(shr(shr(j_dim + 63, 6) + 63, 6) + 63, 6) {
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
                reserve(A2_crd, pA2 + 64)
                reserve(A_vals, pA2 + 64)
                let inv: i64 = at_2 * 64
                while left_3 != 0 {
                  let at_3: i64 = inv + ctz(left_3)
                  let value_2: f64 = t_slots[at_3]
                  t_slots[at_3] = 0.0
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
  for q in 0..i_part {
    if A2_pos[q + 1] < A2_pos[q] {
      A2_pos[q + 1] = A2_pos[q]
    }
  }
  set_len(A2_pos, i_part + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> counts
loads 95, stores 29, branches 99, rounds 31
> out
A = (0,0):57 (0,1):4 (1,4):30
