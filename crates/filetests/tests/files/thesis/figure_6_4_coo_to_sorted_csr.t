# COO whose rows come in order, to CSR: one pass, appended in order.
tensor A f64[4,6] coo = (0,0):5 (0,1):1 (1,1):7 (2,0):8 (3,4):6
result B f64 csr
expr B(i,j) = A(i,j)
> cin
forall i forall j B(i,j) = A(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, A1_pos: in i64[], A1_crd: in i32[], A2_crd: in i32[], A_vals: in f64[], B2_pos: out i64[], B2_crd: out i32[], B_vals: out f64[]) {
  let pB2: i64 = 0
  reserve(B2_pos, i_dim + 1)
  B2_pos[0] = 0
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  reserve(B2_crd, pB2 + (A1_end - pA1))
  reserve(B_vals, pB2 + (A1_end - pA1))
  for pA1_2 in pA1..A1_end {
    let i: i64 = i64(A1_crd[pA1_2])
    let j: i64 = i64(A2_crd[pA1_2])
    B_vals[pB2] = A_vals[pA1_2]
    B2_crd[pB2] = i32(j)
    pB2 = pB2 + 1
    B2_pos[i + 1] = pB2
  }
  for q in 0..i_dim {
    if B2_pos[q + 1] < B2_pos[q] {
      B2_pos[q + 1] = B2_pos[q]
    }
  }
  set_len(B2_pos, i_dim + 1)
  set_len(B2_crd, pB2)
  set_len(B_vals, pB2)
}
> out
B = (0,0):5 (0,1):1 (1,1):7 (2,0):8 (3,4):6
