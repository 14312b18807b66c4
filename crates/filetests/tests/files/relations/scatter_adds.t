# An update at places that values say is the sum of what arrives at each: the comparison is a point inside of the loop over `i`.
tensor y f64[4] dense = (0):1 (2):5
tensor p i64[6] dense = (0):2 (1):2 (2):0 (3):3 (4):2 (5):0
tensor x f64[6] dense = (0):1 (1):2 (2):4 (3):8 (4):16 (5):32
expr y(p(i)) += x(i)
> graph
c over the dimension
  y(c) = y_old(c)
i over the dimension
  c over [c == p(i)]
    y(c) += x(i)
> loops
kernel kernel(i_dim: i64, c_dim: i64, x_vals: in f64[], y_old_vals: in f64[], p_vals: in i64[], y_vals: out uninit f64[]) {
  reserve(y_vals, c_dim)
  vector for c in 0..c_dim {
    y_vals[c] = y_old_vals[c]
  }
  let inv: i64 = c_dim - 1
  for i in 0..i_dim {
    let p_val: i64 = p_vals[i]
    let x_val: f64 = x_vals[i]
    let pc_set2: i64 = min(max(p_val, 0), c_dim)
    let c_set2_end: i64 = min(max(p_val, -1), inv) + 1
    if pc_set2 < c_set2_end {
      y_vals[pc_set2] += x_val
    }
  }
  set_len(y_vals, c_dim)
}
> counts
loads 22, stores 10, branches 23, rounds 12
> out all-backends
y = 37 0 24 8
