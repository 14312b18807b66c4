# A variable that only sums of one tensor bound takes as many values as each of them has coordinates for.
tensor x f64[6] dense = (0):1 (1):4 (2):9 (3):16 (4):25 (5):36
result y dense
expr y(i) = x(i+2) - 2 * x(i+1) + x(i)
> cin
forall i y(i) = x(i(2:)) - 2.0 * x(i(1:-1)) + x(i(0:-2))
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, x_vals: in f64[], x_3_vals: in f64[], x_4_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  vector for i in i_begin..i_end {
    y_vals[i_shift + i] = x_vals[i + 2] - 2.0 * x_3_vals[i + 1] + x_4_vals[i]
  }
  set_len(y_vals, i_part)
}
> counts
loads 13, stores 4, branches 9, rounds 5
> out all-backends
y = 2 2 2 2
