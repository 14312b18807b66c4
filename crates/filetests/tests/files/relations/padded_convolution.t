# A padded sum fixes no range, so that the variable without one ranges over the mode.
tensor x f64[5] dense = (0):1 (1):2 (2):3 (3):4 (4):5
tensor w f64[3] dense = (0):1 (1):10 (2):100
result y dense
expr y(i) = padded(x(i+d-1)) * w(d)
> cin
forall i (y(i) = t) where (forall d forall c t += where(c == i + d - 1, where((i + d - 1 >= 0) & (i + d - 1 < 5), x(c), 0.0) * w(d), 0.0))
> graph
i over the dimension
  where t
    d over [i + d - 1 < 5], kept to [i + d - 1 >= 0]
      c over [c == i + d - 1]
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
    let pd_set2: i64 = 0
    let d_set2_end: i64 = min(max(6 - i, 0), d_dim)
    let d_from: i64 = min(max(1 - i, 0), d_dim)
    let d_stop: i64 = d_set2_end
    pd_set2 = max(pd_set2, d_from)
    d_stop = max(pd_set2, min(d_stop, d_dim))
    vector for d in pd_set2..d_stop {
      let w_val: f64 = w_vals[d]
      let pc_set3: i64 = i + d - 1
      t = t + fused(x_vals[pc_set3], w_val)
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 26, stores 5, branches 36, rounds 19
> out all-backends
y = 210 321 432 543 54
