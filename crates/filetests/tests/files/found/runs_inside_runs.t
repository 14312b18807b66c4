# Loops over lists inside of such loops; each is grouped or serial.
tensor A f64[5] hicoo(1) = (1):2 (3):0.5 (4):4
dim j = 3
expr y(j) = A(l)
> loops
kernel kernel(j_dim: i64, l_dim: i64, m_dim: i64, m_low: i64, bl_dim: i64, bl_low: i64, m1_dim: i64, m1_low: i64, rl_dim: i64, rl_low: i64, A1_pos: in i64[], A1_crd: in i32[], A2_crd: in i32[], A3_pos: in i64[], A3_crd: in i32[], A4_crd: in i32[], A_vals: in f64[], y_vals: out f64[]) {
  reserve(y_vals, j_dim)
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  runs for pA1_2 in pA1..A1_end {
    let pA3: i64 = A3_pos[pA1_2]
    let A3_end: i64 = A3_pos[pA1_2 + 1]
    runs for pA3_2 in pA3..A3_end {
      vector for j_2 in 0..j_dim {
        y_vals[j_2] += A_vals[pA3_2]
      }
    }
  }
  set_len(y_vals, j_dim)
}
> counts
loads 26, stores 9, branches 37, rounds 18
> out
y = 6.5 6.5 6.5
