# Figure 1-4c: element-wise product of CSR and COO into dense.
tensor B f64[3,4] csr = (0,0):5 (0,1):1 (2,0):8 (2,3):4
tensor C f64[3,4] coo = (0,1):2 (1,1):3 (2,0):4 (2,2):5
result A f64 dense
expr A(i,j) = B(i,j) * C(i,j)
> cin
forall i forall j A(i,j) = B(i,j) * C(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C1_pos: in i64[], C1_crd: in i32[], C2_crd: in i32[], C_vals: in f64[], A_vals: out f64[]) {
  reserve(A_vals, i_dim * j_dim)
  let pC1: i64 = C1_pos[0]
  let C1_end: i64 = C1_pos[1]
  while pC1 < C1_end {
    let iC: i64 = i64(C1_crd[pC1])
    let run: i64 = pC1
    run = pC1 + 1
    while run < C1_end && i64(C1_crd[run]) == iC {
      run = run + 1
    }
    let A2_base: i64 = iC * j_dim
    let pB2: i64 = B2_pos[iC]
    let B2_end: i64 = B2_pos[iC + 1]
    let pC2: i64 = pC1
    while pB2 < B2_end && pC2 < run {
      let jB: i64 = i64(B2_crd[pB2])
      let jC: i64 = i64(C2_crd[pC2])
      let j: i64 = min(jB, jC)
      let has_2: bool = jB == j
      let has_3: bool = jC == j
      if has_2 && has_3 {
        A_vals[A2_base + j] = B_vals[pB2] * C_vals[pC2]
      }
      pB2 = pB2 + i64(has_2)
      pC2 = pC2 + i64(has_3)
    }
    pC1 = run
  }
  set_len(A_vals, i_dim * j_dim)
}
> out
A = (0,1):2 (2,0):32
