# What two variables say lies inside, so that nobody looks whether it does.
tensor x f64[6] dense = (0):1 (1):2 (2):3 (3):4 (4):5 (5):6
tensor w f64[3] dense = (0):1 (1):10 (2):100
result y dense
expr y(i) = x(i+d) * w(d)
> cin
forall i (y(i) = t) where (forall d forall c t += where(c == i + d, x(c) * w(d), 0.0))
> graph
i over the dimension
  where t
    d over the dimension
      c over [c == i + d]
        t += x(c) * w(d)
  then
    y(i) = t
> loops
kernel kernel(i_dim: i64, d_dim: i64, c_dim: i64, i_begin: i64, i_end: i64, x_vals: in f64[], w_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: f64 = 0.0
    vector for d in 0..d_dim {
      let w_val: f64 = w_vals[d]
      let pc_set3: i64 = i + d
      t = t + fused(x_vals[pc_set3], w_val)
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 24, stores 4, branches 27, rounds 17
> out all-backends
y = 321 432 543 654
