# Runs of equal values: one value is read for all coordinates of a run.
tensor A f64[2,6] rle = (0,0):2 (0,1):2 (0,4):3 (1,2):1 (1,3):1 (1,4):1
tensor x f64[6] dense = 1 2 3 4 5 6
expr y(i) = A(i,j) * x(j)
> cin
forall i (y(i) = t) where (forall j t += A(i,j) * x(j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: f64 = 0.0
    let A2_at: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    for r in pA2..A2_end {
      let j_end: i64 = i64(A2_crd[r])
      if A_vals[r] != 0.0 {
        if j_end - A2_at < 8 {
          for j in A2_at..j_end {
            t = t + fused(A_vals[r], x_vals[j])
          }
        } else {
          vector for j in A2_at..j_end {
            t = t + fused(A_vals[r], x_vals[j])
          }
        }
      }
      A2_at = j_end
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 30, stores 2, branches 35, rounds 17
> out
y = 21 12
