# Rows in parts that do not divide them, appended to a sparse result.
tensor B f64[5,4] csr = (0,1):2 (1,0):1 (1,3):4 (3,2):5 (4,0):6 (4,3):7
result A csr
schedule split(i,i0,i1,2)
expr A(i,j) = 2 * B(i,j)
> cin
forall i0 forall i1 forall i forall j A(i,j) = 2.0 * B(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i0_dim: i64, i0_low: i64, i1_dim: i64, i1_low: i64, i0_begin: i64, i0_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], A2_pos: out i64[], A2_crd: out uninit i32[], A_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i0_begin * 2
  let i_part: i64 = min(i0_end * 2, i_dim) - i0_begin * 2
  let pA2: i64 = 0
  reserve(A2_pos, i_part + 1)
  A2_pos[0] = 0
  for i0 in i0_begin..i0_end {
    for i1 in 0..min(2, i_dim - i0 * 2) {
      let i: i64 = i1 + i0 * 2
      let pB2: i64 = B2_pos[i]
      let B2_end: i64 = B2_pos[i + 1]
      reserve(A2_crd, pA2 + (B2_end - pB2))
      reserve(A_vals, pA2 + (B2_end - pB2))
      for pB2_2 in pB2..B2_end {
        let j: i64 = i64(B2_crd[pB2_2])
        A_vals[pA2] = 2.0 * B_vals[pB2_2]
        A2_crd[pA2] = i32(j)
        pA2 = pA2 + 1
      }
      A2_pos[i_shift + i + 1] = pA2
    }
  }
  set_len(A2_pos, i_part + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> counts
loads 23, stores 18, branches 29, rounds 17
> out
A = (0,1):4 (1,0):2 (1,3):8 (3,2):10 (4,0):12 (4,3):14
