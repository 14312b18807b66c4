# What runs of two levels have in common is taken in one round; runs of zeros in either are passed over.
tensor A f64[2,8] rle = (0,0):2 (0,1):2 (0,4):3 (1,2):1 (1,3):1 (1,4):1
tensor B f64[2,8] rle = (0,1):5 (0,2):5 (0,4):4 (1,0):1 (1,1):1 (1,4):2 (1,7):2
expr y(i) = A(i,j) * B(i,j)
> graph
i over the dimension
  where t
    j over runs of A(i,j).2 and B(i,j).2 but those of the fill value
      t += A(i,j) * B(i,j)
  then
    y(i) = t
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: f64 = 0.0
    let A2_at: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let pB2: i64 = B2_pos[i]
    while pA2 < A2_end {
      let A_end: i64 = i64(A2_crd[pA2])
      let B_end: i64 = i64(B2_crd[pB2])
      let j_end: i64 = min(A_end, B_end)
      if A_vals[pA2] != 0.0 && B_vals[pB2] != 0.0 {
        if A2_at < j_end {
          t = t + fused(A_vals[pA2] * B_vals[pB2], f64(j_end - A2_at))
        }
      }
      A2_at = j_end
      pA2 = pA2 + i64(A_end == j_end)
      pB2 = pB2 + i64(B_end == j_end)
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 50, stores 2, branches 43, rounds 14
> out
y = 22 2
