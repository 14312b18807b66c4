# Of several values for one place the last counts; elements that nothing is sent to are the fill value.
tensor p i64[5] dense = (0):2 (1):0 (2):2 (3):0 (4):3
tensor x f64[5] dense = (0):1 (1):2 (2):4 (3):8 (4):16
result y[5] dense
expr y(p(i)) = x(i)
> cin
(forall c forall c1 y(c) = where(c1 == t(c), where(t(c) >= 0, x(c1), 0.0), 0.0)) where (forall i forall c t(c) max= where(c == p(i), i, i64(-9223372036854775808)))
> loops
kernel kernel(i_dim: i64, c_dim: i64, c1_dim: i64, p_vals: in i64[], x_vals: in f64[], y_vals: out f64[], t_vals: temp i64[]) {
  reserve(y_vals, c_dim)
  reserve(t_vals, c_dim)
  vector for p in 0..c_dim {
    t_vals[p] = -9223372036854775808
  }
  let inv: i64 = c_dim - 1
  for i in 0..i_dim {
    let p_val: i64 = p_vals[i]
    let pc_set2: i64 = min(max(p_val, 0), c_dim)
    let c_set2_end: i64 = min(max(p_val, -1), inv) + 1
    if pc_set2 < c_set2_end {
      t_vals[pc_set2] max= i
    }
  }
  let inv_2: i64 = c1_dim - 1
  vector for c_2 in 0..c_dim {
    let pc1_set2: i64 = max(min(t_vals[c_2], inv_2), 0)
    if 0 < c1_dim {
      y_vals[c_2] = select(t_vals[c_2] >= 0, x_vals[pc1_set2], 0.0)
    }
  }
  set_len(y_vals, c_dim)
}
> counts
loads 25, stores 15, branches 35, rounds 18
> out all-backends
y = 8 0 4 16 0
