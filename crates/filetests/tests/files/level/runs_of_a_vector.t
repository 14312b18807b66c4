# One row of runs is not cut for threads. Signs of zeros end runs, NaN goes on as NaN.
tensor x f64[9] dense = (0):-0 (1):0 (2):0 (3):nan (4):nan (5):2 (6):2 (7):2
result z f64 rle
expr z(i) = 2 * x(i)
> graph
z(i).1 appended
i over the dimension
  z(i) = 2.0 * x(i), appended
> loops
kernel kernel(i_dim: i64, x_vals: in f64[], z1_pos: out i64[], z1_crd: out uninit i32[], z_vals: out uninit f64[]) {
  let pz1: i64 = 0
  let z_last: f64 = 0.0
  reserve(z1_pos, 2)
  z1_pos[0] = 0
  for i in 0..i_dim {
    let value: f64 = 2.0 * x_vals[i]
    reserve(z1_crd, pz1 + 1)
    reserve(z_vals, pz1 + 1)
    let at: i64 = pz1 - i64((0 < pz1) & ((value == z_last) & (1.0 / value == 1.0 / z_last) | (value != value) & (z_last != z_last)))
    z_vals[at] = value
    z1_crd[at] = i32(i + 1)
    pz1 = at + 1
    z_last = value
  }
  z1_pos[1] = pz1
  set_len(z1_pos, 2)
  set_len(z1_crd, pz1)
  set_len(z_vals, pz1)
}
> counts
loads 10, stores 20, branches 12, rounds 10
> out
z = -0 0 0 NaN NaN 4 4 4 0
