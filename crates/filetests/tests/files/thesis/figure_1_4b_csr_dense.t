# Figure 1-4b: element-wise product of CSR and dense into dense.
tensor B f64[3,4] csr = (0,0):5 (0,1):1 (2,0):8 (2,3):4
tensor C f64[3,4] dense = 1 2 3 4 5 6 7 8 9 10 11 12
result A f64 dense
expr A(i,j) = B(i,j) * C(i,j)
> cin
forall i forall j A(i,j) = B(i,j) * C(i,j)
> graph
i over the dimension
  j over B(i,j).2
    A(i,j) = B(i,j) * C(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C_vals: in f64[], A_vals: out f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(A_vals, i_part * j_dim)
  for i in i_begin..i_end {
    let C2_base: i64 = i * j_dim
    let A2_base: i64 = (i_shift + i) * j_dim
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    vector for pB2_2 in pB2..B2_end {
      let j: i64 = i64(B2_crd[pB2_2])
      A_vals[A2_base + j] = times(B_vals[pB2_2], C_vals[C2_base + j])
    }
  }
  set_len(A_vals, i_part * j_dim)
}
> counts
loads 18, stores 4, branches 13, rounds 8
> out
A = (0,0):5 (0,1):2 (2,0):72 (2,3):48
