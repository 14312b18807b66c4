# Where NaN would not show, annihilators decide at once.
tensor A f64[3] dense = (0):0 (1):1 (2):2
tensor x f64[3] dense = (0):inf (1):inf (2):nan
expr y(i) = A(i) * x(i) >= 0
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, A_vals: in f64[], x_vals: in f64[], y_vals: out uninit bool[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  vector for i in i_begin..i_end {
    y_vals[i_shift + i] = times(A_vals[i], x_vals[i]) >= 0.0
  }
  set_len(y_vals, i_part)
}
> counts
loads 6, stores 3, branches 8, rounds 4
> out
y = true true false
