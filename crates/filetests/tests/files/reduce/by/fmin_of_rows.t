# NaN is left out; what is not stored takes part.
tensor A f64[4,3] csr = (0,0):nan (0,1):4 (0,2):3 (1,1):2 (2,0):-3 (2,2):nan
expr y(i) = fmin(j, A(i,j))
> cin
forall i ((y(i) = with_fill(fmin, t, t1, 0.0, j)) where (forall j t fmin= stored(A(i,j)))) where (forall j t1 += stored(A(i,j), 1))
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t1: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    t1 = t1 + select(pA2 < A2_end, A2_end - pA2, 0)
    let t: f64 = nan
    let pA2_3: i64 = A2_pos[i]
    let A2_end_2: i64 = A2_pos[i + 1]
    vector for pA2_4 in pA2_3..A2_end_2 {
      t = fmin(t, A_vals[pA2_4])
    }
    y_vals[i_shift + i] = fmin(t, select(f64(t1) < f64(j_dim), 0.0, nan))
  }
  set_len(y_vals, i_part)
}
> counts
loads 22, stores 4, branches 17, rounds 11
> out
y = 3 0 -3 0
