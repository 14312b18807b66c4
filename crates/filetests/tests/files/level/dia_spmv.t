tensor A f64[3,4] dia = (0,0):1 (1,1):2 (2,2):3 (0,2):4 (1,3):5
tensor x f64[4] dense = 1 2 3 4
expr y(i) = A(i,j) * x(j)
> cin
forall d forall i forall j y(i) += A(d,i,j) * x(j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, d_dim: i64, d_low: i64, i_begin: i64, i_end: i64, A1_count: in i64[], A1_perm: in i32[], A_vals: in f64[], x_vals: in f64[], y_vals: out f64[]) {
  let A1_count_2: i64 = A1_count[0]
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for strip in i_begin..i_end step 2048 {
    let strip_end: i64 = min(strip + 2048, i_end)
    for pA1_2 in 0..A1_count_2 {
      let d: i64 = i64(A1_perm[pA1_2])
      let A2_base: i64 = pA1_2 * i_dim
      let pA2: i64 = pA1_2 * i_dim + max(0, 0 - d)
      let A2_end: i64 = pA1_2 * i_dim + min(i_dim, 0 - d + j_dim)
      let i_stop: i64 = A2_end
      pA2 = max(pA2, strip + A2_base)
      i_stop = max(pA2, min(i_stop, strip_end + A2_base))
      let i_first: i64 = pA2 - A2_base
      let shift: i64 = pA2 - i_first
      let i_end_2: i64 = i_stop - A2_base
      vector for i in i_first..i_end_2 {
        let pA2_2: i64 = i + shift
        let j: i64 = d + i
        y_vals[i_shift + i] += fused(A_vals[pA2_2], x_vals[j])
      }
    }
  }
  set_len(y_vals, i_part)
}
> counts
loads 18, stores 5, branches 18, rounds 9
> out
y = 13 24 9
