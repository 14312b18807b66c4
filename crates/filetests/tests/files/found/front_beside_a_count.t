# Terms that are not stored are counted: a factor that is false leaves none of those out that are.
tensor A bool[3,3] "(i,j) -> (i,j) : compressed, bitmap" = (2,0):false (2,2):true (0,0):true (2,1):true
tensor B bool[3] dense = (1):false
expr s = sum(i, j, !min(B(i), A(i,j)))
> out
s = 9
> loops
kernel kernel(i_dim: i64, j_dim: i64, B_vals: in bool[], A1_pos: in i64[], A1_crd: in i32[], A2_bits: in i64[], A_vals: in bool[], s_vals: out uninit i64[]) {
  reserve(s_vals, 1)
  let t1: i64 = 0
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  for pA1_2 in pA1..A1_end {
    let A2_word: i64 = pA1_2 * shr(j_dim + 63, 6)
    for w in 0..shr(j_dim + 63, 6) {
      let m: i64 = A2_bits[A2_word + w]
      while m != 0 {
        t1 = t1 + 1
        m = m & m - 1
      }
    }
  }
  let t: i64 = 0
  let pA1_3: i64 = A1_pos[0]
  let A1_end_2: i64 = A1_pos[1]
  for pA1_4 in pA1_3..A1_end_2 {
    let i_2: i64 = i64(A1_crd[pA1_4])
    let b_val: bool = B_vals[i_2]
    let A2_word_2: i64 = pA1_4 * shr(j_dim + 63, 6)
    let A2_base_2: i64 = pA1_4 * j_dim
    for w_2 in 0..shr(j_dim + 63, 6) {
      let m_2: i64 = A2_bits[A2_word_2 + w_2]
      let inv_2: i64 = w_2 * 64
      while m_2 != 0 {
        let b_2: i64 = inv_2 + ctz(m_2)
        let pA_2: i64 = A2_base_2 + b_2
        t = t + i64(!min(b_val, A_vals[pA_2]))
        m_2 = m_2 & m_2 - 1
      }
    }
  }
  s_vals[0] = t + select(f64(t1) < f64(i_dim) * f64(j_dim), i_dim * j_dim - t1, 0)
  set_len(s_vals, 1)
}
> counts
loads 16, stores 1, branches 34, rounds 20
