# A square is a product by the time that there are loops; other powers are not.
tensor A f64[2,3] csr = (0,0):1.5 (0,2):-3 (1,1):2
tensor C f64[2,3] csr
expr C(i,j) = (A(i,j) * 2) ** 2 + A(i,j) ** 3
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    reserve(C2_crd, pC2 + (A2_end - pA2))
    reserve(C_vals, pC2 + (A2_end - pA2))
    for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      let base: f64 = A_vals[pA2_2] * 2.0
      C_vals[pC2] = base * base + power(A_vals[pA2_2], 3.0)
      C2_crd[pC2] = i32(j)
      pC2 = pC2 + 1
    }
    C2_pos[i_shift + i + 1] = pC2
  }
  set_len(C2_pos, i_part + 1)
  set_len(C2_crd, pC2)
  set_len(C_vals, pC2)
}
> counts
loads 15, stores 9, branches 10, rounds 6
> out
C = 12.375 0 9 0 24 0
