# Each element is read before it is assigned, by its own statement or by another one.
tensor x f64[5] dense = 1 2 3 4 5
tensor b f64[5] dense = 5 4 3 2 1
expr y(i) = 2 * x(i) - b(i) / x(i)
> variants
in place    in the memory of `x`, whose values become the result's, if `x` is given away
in place    in the memory of `b`, whose values become the result's, if `b` is given away
kernel      the kernel (every run)
> in-place x
[over x] forall i y(i) = 2.0 * y(i) - b(i) / y(i)
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, b_vals: in f64[], y_vals: out given f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  vector for i in i_begin..i_end {
    y_vals[i_shift + i] = 2.0 * y_vals[i_shift + i] - b_vals[i] / y_vals[i_shift + i]
  }
  set_len(y_vals, i_part)
}
> in-place b
[over b] forall i y(i) = 2.0 * x(i) - y(i) / x(i)
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, x_vals: in f64[], y_vals: out given f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  vector for i in i_begin..i_end {
    y_vals[i_shift + i] = 2.0 * x_vals[i] - y_vals[i_shift + i] / x_vals[i]
  }
  set_len(y_vals, i_part)
}
> out
y = -3 2 5 7.5 9.8
