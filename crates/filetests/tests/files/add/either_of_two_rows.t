# Which of two rows holds the next coordinate is chosen, not branched on; where both do is a case of its own.
tensor B f64[3,6] csr = (0,0):1 (0,2):2 (0,5):3 (1,1):4 (2,3):-5
tensor C f64[3,6] csr = (0,2):6 (0,3):7 (2,3):5 (2,4):8
expr A(i,j) = B(i,j) + C(i,j)
> graph
i over the dimension
  j over either of B(i,j).2, C(i,j).2
    in B(i,j).2 & C(i,j).2
      A(i,j) = B(i,j) + C(i,j)
    in B(i,j).2
      A(i,j) = B(i,j)
    in C(i,j).2
      A(i,j) = C(i,j)
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
    let pC2: i64 = C2_pos[i]
    let C2_end: i64 = C2_pos[i + 1]
    reserve(A2_crd, pA2 + (B2_end - pB2 + (C2_end - pC2)))
    reserve(A_vals, pA2 + (B2_end - pB2 + (C2_end - pC2)))
    while pB2 < B2_end && pC2 < C2_end {
      let jB: i64 = i64(B2_crd[pB2])
      let jC: i64 = i64(C2_crd[pC2])
      if jB == jC {
        A_vals[pA2] = B_vals[pB2] + C_vals[pC2]
        A2_crd[pA2] = i32(jB)
        pA2 = pA2 + 1
        pB2 = pB2 + 1
        pC2 = pC2 + 1
      } else {
        let j: i64 = min(jB, jC)
        let has: bool = jB == j
        let has_2: bool = jC == j
        let b_val: f64 = select(has, B_vals[pB2], 0.0)
        let c_val: f64 = select(has_2, C_vals[pC2], 0.0)
        A_vals[pA2] = b_val + c_val
        A2_crd[pA2] = i32(j)
        pA2 = pA2 + 1
        pB2 = pB2 + i64(has)
        pC2 = pC2 + i64(has_2)
      }
    }
    for pB2_2 in pB2..B2_end {
      let j_2: i64 = i64(B2_crd[pB2_2])
      A_vals[pA2] = B_vals[pB2_2]
      A2_crd[pA2] = i32(j_2)
      pA2 = pA2 + 1
    }
    for pC2_2 in pC2..C2_end {
      let j_3: i64 = i64(C2_crd[pC2_2])
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
loads 34, stores 18, branches 33, rounds 11
> out
A = (0,0):1 (0,2):8 (0,3):7 (0,5):3 (1,1):4 (2,4):8
