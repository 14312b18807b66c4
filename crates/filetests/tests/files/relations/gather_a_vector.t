# A vector read where an operand says.
tensor x f64[5] dense = 10 11 12 13 14
tensor p i32[4] dense = 3 0 3 4
expr y(i) = x(p(i))
> graph
i over the dimension
  c over [c == i64(p(i))]
    y(i) = x(c)
> loops
kernel kernel(i_dim: i64, c_dim: i64, i_begin: i64, i_end: i64, p_vals: in i32[], x_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  let inv: i64 = c_dim - 1
  vector for i in i_begin..i_end {
    let p_val: i32 = p_vals[i]
    let pc_set2: i64 = max(min(i64(p_val), inv), 0)
    if 0 < c_dim {
      y_vals[i_shift + i] = x_vals[pc_set2]
    }
  }
  set_len(y_vals, i_part)
}
> counts
loads 8, stores 4, branches 11, rounds 5
> out all-backends
y = 13 10 13 14
