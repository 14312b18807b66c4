# The block of A(2,2,:) comes to -0 alone and is left behind: the one of A(3,4,:), in the same memory, finds no -0.
tensor A f64[4,5,5] dsd = (2,2,3):1 (3,4,4):1
arithmetic exact
expr y(i,j,k) = -(A(i,j,k) * A(i,k,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], y2_pos: out i64[], y2_crd: out uninit i32[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let py2: i64 = 0
  reserve(y2_pos, i_part + 1)
  y2_pos[0] = 0
  for i in i_begin..i_end {
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      reserve(y_vals, (py2 + 1) * k_dim)
      vector for q in py2 * k_dim..py2 * k_dim + k_dim {
        y_vals[q] = 0.0
      }
      let A3_base: i64 = pA2_2 * k_dim
      let y3_base: i64 = py2 * k_dim
      let pA2_3: i64 = A2_pos[i]
      let A2_end_2: i64 = A2_pos[i + 1]
      vector for pA2_4 in pA2_3..A2_end_2 {
        let k: i64 = i64(A2_crd[pA2_4])
        y_vals[y3_base + k] = -(A_vals[A3_base + k] * A_vals[pA2_4 * k_dim + j])
      }
      let q_2: i64 = py2 * k_dim
      let block_end: i64 = q_2 + k_dim
      while q_2 < block_end && y_vals[q_2] == 0.0 {
        q_2 = q_2 + 1
      }
      if q_2 < block_end {
        reserve(y2_crd, py2 + 1)
        y2_crd[py2] = i32(j)
        py2 = py2 + 1
      }
    }
    y2_pos[i_shift + i + 1] = py2
  }
  set_len(y2_pos, i_part + 1)
  set_len(y2_crd, py2)
  set_len(y_vals, py2 * k_dim)
}
> counts
loads 30, stores 18, branches 59, rounds 29
> out
y = (3,4,4):-1
