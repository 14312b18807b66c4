# Figure 8, a: two windows of two matrices, which start apart.
tensor B f64[4,4] csr = (0,0):1 (1,1):2 (2,2):9
tensor C f64[4,4] csr = (0,0):9 (1,2):3 (2,3):4 (2,2):5
expr A(i,j) = B(i(0:2),j(0:2)) + C(i(1:3),j(2:4))
> cin
forall i forall j A(i,j) = B(i(0:2),j(0:2)) + C(i(1:3),j(2:4))
> graph
A(i,j).1 located, A(i,j).2 appended
i over the dimension
  j over regions of B(i(0:2),j(0:2)).2, C(i(1:3),j(2:4)).2, with room for all
    in B(i(0:2),j(0:2)).2 & C(i(1:3),j(2:4)).2
      A(i,j) = B(i(0:2),j(0:2)) + C(i(1:3),j(2:4)), appended
    in B(i(0:2),j(0:2)).2
      A(i,j) = B(i(0:2),j(0:2)), appended
    in C(i(1:3),j(2:4)).2
      A(i,j) = C(i(1:3),j(2:4)), appended
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out uninit i32[], A_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pA2: i64 = 0
  reserve(A2_pos, i_part + 1)
  A2_pos[0] = 0
  for i in i_begin..i_end {
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    let B2_stop: i64 = B2_end
    let first: i64 = pB2
    let last: i64 = B2_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(B2_crd[middle]) < j_dim {
        first = middle + 1
      } else {
        last = middle
      }
    }
    B2_stop = first
    let pC2: i64 = C2_pos[i + 1]
    let C2_end: i64 = C2_pos[i + 2]
    let C2_stop: i64 = C2_end
    let first_2: i64 = pC2
    let last_2: i64 = C2_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(C2_crd[middle_2]) < 2 {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    pC2 = first_2
    let first_3: i64 = pC2
    let last_3: i64 = C2_stop
    let inv: i64 = 2 + j_dim
    while first_3 < last_3 {
      let middle_3: i64 = shr(first_3 + last_3, 1)
      if i64(C2_crd[middle_3]) < inv {
        first_3 = middle_3 + 1
      } else {
        last_3 = middle_3
      }
    }
    C2_stop = first_3
    reserve(A2_crd, pA2 + (B2_stop - pB2 + (C2_stop - pC2)))
    reserve(A_vals, pA2 + (B2_stop - pB2 + (C2_stop - pC2)))
    while pB2 < B2_stop && pC2 < C2_stop {
      let jB: i64 = i64(B2_crd[pB2])
      let jC: i64 = i64(C2_crd[pC2]) - 2
      let j: i64 = min(jB, jC)
      if jB == jC {
        A_vals[pA2] = B_vals[pB2] + C_vals[pC2]
        A2_crd[pA2] = i32(j)
        pA2 = pA2 + 1
        pB2 = pB2 + 1
        pC2 = pC2 + 1
      } else {
        if jB < jC {
          A_vals[pA2] = B_vals[pB2]
          A2_crd[pA2] = i32(j)
          pA2 = pA2 + 1
          pB2 = pB2 + 1
        } else {
          A_vals[pA2] = C_vals[pC2]
          A2_crd[pA2] = i32(j)
          pA2 = pA2 + 1
          pC2 = pC2 + 1
        }
      }
    }
    for pB2_2 in pB2..B2_stop {
      let j_2: i64 = i64(B2_crd[pB2_2])
      A_vals[pA2] = B_vals[pB2_2]
      A2_crd[pA2] = i32(j_2)
      pA2 = pA2 + 1
    }
    for pC2_2 in pC2..C2_stop {
      let j_3: i64 = i64(C2_crd[pC2_2]) - 2
      A_vals[pA2] = C_vals[pC2_2]
      A2_crd[pA2] = i32(j_3)
      pA2 = pA2 + 1
    }
    A2_pos[i_shift + i + 1] = pA2
  }
  set_len(A2_pos, i_part + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> counts
loads 26, stores 9, branches 43, rounds 13
> out all-backends
A = 4 0 5 6
