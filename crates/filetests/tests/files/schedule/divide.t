# Four parts of ten values have three each, and the last one has one.
tensor x f64[10] dense = 1 2 3 4 5 6 7 8 9 10
schedule divide(i,i0,i1,4)
expr y(i) = x(i) + i
> cin
forall i0 forall i1 forall i y(i) = x(i) + f64(i)
> loops
kernel kernel(i_dim: i64, i0_dim: i64, i0_low: i64, i1_dim: i64, i1_low: i64, i0_begin: i64, i0_end: i64, x_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i0_begin * 3
  let i_part: i64 = min(i0_end * 3, i_dim) - i0_begin * 3
  reserve(y_vals, i_part)
  for i0 in i0_begin..i0_end {
    let inv: i64 = i0 * 3
    for i1 in 0..min(3, i_dim - i0 * 3) {
      let i: i64 = i1 + inv
      y_vals[i_shift + i] = x_vals[i] + f64(i)
    }
  }
  set_len(y_vals, i_part)
}
> counts
loads 10, stores 10, branches 25, rounds 15
> out
y = 1 3 5 7 9 11 13 15 17 19
