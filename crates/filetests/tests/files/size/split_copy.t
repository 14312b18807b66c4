# A dense vector whose loop is split, into a sparse one: its zeros are no elements.
tensor A f64[4] d = 0 1 0 2
result y s
schedule split(i,a,b,3)
expr y(i) = A(i)
> loops
kernel kernel(i_dim: i64, a_dim: i64, a_low: i64, b_dim: i64, b_low: i64, A_vals: in f64[], y1_pos: out i64[], y1_crd: out uninit i32[], y_vals: out uninit f64[]) {
  let py1: i64 = 0
  reserve(y1_pos, 2)
  y1_pos[0] = 0
  for a in a_low..a_low + a_dim {
    let inv: i64 = a * 3
    for b in 0..min(3, i_dim - a * 3) {
      let i: i64 = b + inv
      let value: f64 = A_vals[i]
      if value != 0.0 {
        reserve(y1_crd, py1 + 1)
        reserve(y_vals, py1 + 1)
        y_vals[py1] = value
        y1_crd[py1] = i32(i)
        py1 = py1 + 1
      }
    }
  }
  y1_pos[1] = py1
  set_len(y1_pos, 2)
  set_len(y1_crd, py1)
  set_len(y_vals, py1)
}
> counts
loads 4, stores 6, branches 17, rounds 7
> out
y = 0 1 0 2
