# Differences of neighbours: two parts of one dense vector, read in their place.
tensor x f64[9] dense = (0):1 (1):4 (2):9 (3):16 (4):25 (5):36 (6):49 (7):64 (8):81
expr y(i) = x(i(1:9)) - x(i(0:8))
> cin
forall i y(i) = x(i(1:9)) - x(i(0:8))
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, x_vals: in f64[], x_3_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  vector for i in i_begin..i_end {
    y_vals[i_shift + i] = x_vals[i + 1] - x_3_vals[i]
  }
  set_len(y_vals, i_part)
}
> counts
loads 2, stores 1, branches 8, rounds 2
> out all-backends
y = 3 5 7 9 11 13 15 17
