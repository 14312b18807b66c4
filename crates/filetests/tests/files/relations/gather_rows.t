# Rows of a sparse matrix are appended as they are.
tensor A f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3
tensor p i64[4] dense = 2 2 1 0
tensor C f64[4,4] csr
expr C(i,j) = A(p(i),j)
> graph
C(i,j).1 located, C(i,j).2 appended
i over the dimension
  c over [c == p(i)]
    j over A(c,j).2, with room for all
      C(i,j) = A(c,j), appended
> loops
kernel kernel(i_dim: i64, j_dim: i64, c_dim: i64, i_begin: i64, i_end: i64, p_vals: in i64[], A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let p_val: i64 = p_vals[i]
    let pc_set2: i64 = max(min(p_val, c_dim - 1), 0)
    if 0 < c_dim {
      let pA2: i64 = A2_pos[pc_set2]
      let A2_end: i64 = A2_pos[pc_set2 + 1]
      reserve(C2_crd, pC2 + (A2_end - pA2))
      reserve(C_vals, pC2 + (A2_end - pA2))
      for pA2_2 in pA2..A2_end {
        let j: i64 = i64(A2_crd[pA2_2])
        C_vals[pC2] = A_vals[pA2_2]
        C2_crd[pC2] = i32(j)
        pC2 = pC2 + 1
      }
    }
    C2_pos[i_shift + i + 1] = pC2
  }
  set_len(C2_pos, i_part + 1)
  set_len(C2_crd, pC2)
  set_len(C_vals, pC2)
}
> counts
loads 20, stores 13, branches 19, rounds 9
> out all-backends
C = (0,1):3 (1,1):3 (3,0):1 (3,3):2
