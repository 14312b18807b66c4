# What a place holds comes first, then values in ascending order.
tensor y f64[4] dense = 0 9 0 0
tensor p i64[6] dense = 2 1 0 2 0 3
tensor x f64[6] sv = (0):0 (1):2 (2):3 (3):4 (4):5
expr y(p(i)) choose= x(i)
> cin
{forall c y(c) = y_old(c); forall i forall c y(c) choose= where(c == p(i), x(i), 0.0)}
> graph
c over the dimension
  y(c) = y_old(c)
i over x(i).1
  c over [c == p(i)]
    y(c) choose= x(i)
> loops
kernel kernel(i_dim: i64, c_dim: i64, x1_pos: in i64[], x1_crd: in i32[], x_vals: in f64[], y_old_vals: in f64[], p_vals: in i64[], y_vals: out uninit f64[]) {
  reserve(y_vals, c_dim)
  vector for c in 0..c_dim {
    y_vals[c] = y_old_vals[c]
  }
  let px1: i64 = x1_pos[0]
  let x1_end: i64 = x1_pos[1]
  let inv: i64 = c_dim - 1
  for px1_2 in px1..x1_end {
    let i: i64 = i64(x1_crd[px1_2])
    let p_val: i64 = p_vals[i]
    let x_val: f64 = x_vals[px1_2]
    let pc_set2: i64 = min(max(p_val, 0), c_dim)
    let c_set2_end: i64 = min(max(p_val, -1), inv) + 1
    if pc_set2 < c_set2_end {
      let first: f64 = y_vals[pc_set2]
      y_vals[pc_set2] = select(first != 0.0, first, x_val)
    }
  }
  set_len(y_vals, c_dim)
}
> counts
loads 26, stores 9, branches 21, rounds 11
> out all-backends
y = 3 9 4 0
