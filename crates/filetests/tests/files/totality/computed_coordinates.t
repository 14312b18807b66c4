# Every diagonal from end to end, as dense levels.
tensor A f64[3,4] "(i,j) -> (j-i,i,j) : dense, dense, dense" = (0,1):2 (2,0):5 (2,3):1
expr y(i) = A(i,j)
> cin
forall d forall i forall j y(i) += A(d,i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, d_dim: i64, d_low: i64, i_begin: i64, i_end: i64, A_vals: in f64[], y_vals: out f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for strip in i_begin..i_end step 2048 {
    let strip_end: i64 = min(strip + 2048, i_end)
    let A1_base: i64 = 0 - d_low
    for d in d_low..d_low + d_dim {
      let A2_base: i64 = (A1_base + d) * i_dim
      vector for i in strip..strip_end {
        let j: i64 = d + i
        if j >= 0 && j < j_dim {
          y_vals[i_shift + i] += A_vals[(A2_base + i) * j_dim + j]
        }
      }
    }
  }
  set_len(y_vals, i_part)
}
> counts
loads 24, stores 12, branches 77, rounds 26
> out
y = 2 0 6
