# A fill that is not zero is added as often as elements are missing.
tensor A i64[3,4] "csr; fill = 5" = (0,0):1 (0,1):1 (0,2):1 (0,3):1 (2,3):-5
expr s(i) = sum(j, A(i,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in i64[], s_vals: out uninit i64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(s_vals, i_part)
  for i in i_begin..i_end {
    let t1: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    t1 = t1 + select(pA2 < A2_end, A2_end - pA2, 0)
    let t: i64 = 0
    let pA2_3: i64 = A2_pos[i]
    let A2_end_2: i64 = A2_pos[i + 1]
    vector for pA2_4 in pA2_3..A2_end_2 {
      t = t + A_vals[pA2_4]
    }
    s_vals[i_shift + i] = t + select(f64(t1) < f64(j_dim), (j_dim - t1) * 5, 0)
  }
  set_len(s_vals, i_part)
}
> counts
loads 17, stores 3, branches 20, rounds 9
> out
s = 4 20 10
