# Blocks are added up in place.
tensor A f64[2,3] hicoo = (1,2):1
tensor y f64[2] dense = 1 2
expr y(i) += A(i,j)
> in-place y
[over y_old] forall m forall bi forall bj forall m1 forall ri forall rj forall i forall j y(i) += A(m,bi,bj,m1,ri,rj,i,j)
kernel kernel(i_dim: i64, j_dim: i64, m_dim: i64, m_low: i64, bi_dim: i64, bi_low: i64, bj_dim: i64, bj_low: i64, m1_dim: i64, m1_low: i64, ri_dim: i64, ri_low: i64, rj_dim: i64, rj_low: i64, A1_pos: in i64[], A1_crd: in i32[], A2_crd: in i32[], A3_crd: in i32[], A4_pos: in i64[], A4_crd: in i32[], A5_crd: in i32[], A6_crd: in i32[], A_vals: in f64[], y_vals: out given f64[]) {
  reserve(y_vals, i_dim)
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  runs for pA1_2 in pA1..A1_end {
    let bi: i64 = i64(A2_crd[pA1_2])
    let pA4: i64 = A4_pos[pA1_2]
    let A4_end: i64 = A4_pos[pA1_2 + 1]
    let inv: i64 = bi * 128
    runs for pA4_2 in pA4..A4_end {
      let ri: i64 = i64(A5_crd[pA4_2])
      let i: i64 = ri + inv
      y_vals[i] += A_vals[pA4_2]
    }
  }
  set_len(y_vals, i_dim)
}
> out
y = 1 3
