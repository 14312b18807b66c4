tensor A f64[2,6] rle = (0,0):2 (0,1):2 (0,4):3 (1,2):1 (1,3):1 (1,4):1
result B f64 rle
expr B(i,j) = 2 * A(i,j)
> cin
forall i forall j B(i,j) = 2.0 * A(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B_vals: out f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(B_vals, i_part * j_dim)
  for i in i_begin..i_end {
    let B2_base: i64 = (i_shift + i) * j_dim
    let A2_at: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    for r in pA2..A2_end {
      let j_end: i64 = i64(A2_crd[r])
      if A_vals[r] != 0.0 {
        vector for j in A2_at..j_end {
          B_vals[B2_base + j] = 2.0 * A_vals[r]
        }
      }
      A2_at = j_end
    }
  }
  set_len(B_vals, i_part * j_dim)
}
> out
B = 4 4 0 0 6 0 0 0 2 2 2 0
