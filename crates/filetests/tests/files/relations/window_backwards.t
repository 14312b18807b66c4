# A window that runs backwards is a decreasing sum of its variable.
tensor x f64[9] dense = 1 2 3 4 5 6 7 8 9
expr y(i) = x(i(8:2:-2))
> cin
forall i forall c y(i) = where(c == 8 + i64(-2) * i, x(c), 0.0)
> loops
kernel kernel(i_dim: i64, c_dim: i64, i_begin: i64, i_end: i64, x_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  vector for i in i_begin..i_end {
    let pc_set2: i64 = 8 + -2 * i
    y_vals[i_shift + i] = x_vals[pc_set2]
  }
  set_len(y_vals, i_part)
}
> counts
loads 3, stores 3, branches 8, rounds 4
> out all-backends
y = 9 7 5
