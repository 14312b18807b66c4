# Rows of a list lead; the run that covers each coordinate is moved on to, so runs are passed once.
tensor A f64[2,8] rle = (0,0):2 (0,1):2 (0,4):3 (1,2):1 (1,3):1 (1,4):1
tensor B f64[2,8] csr = (0,1):5 (0,4):4 (1,1):1 (1,4):2 (1,7):2
expr y(i) = A(i,j) * B(i,j)
> graph
i over the dimension
  where t
    j over B(i,j).2, along runs of A(i,j).2
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
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    for pB2_2 in pB2..B2_end {
      let j: i64 = i64(B2_crd[pB2_2])
      while pA2 < A2_end && i64(A2_crd[pA2]) <= j {
        pA2 = pA2 + 1
      }
      t = t + fused(A_vals[pA2], B_vals[pB2_2])
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 32, stores 2, branches 32, rounds 13
> out
y = 22 2
