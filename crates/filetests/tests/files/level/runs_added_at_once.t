# The sum over runs of values that no fill value is: each value times the length of its run, in any dtype of numbers.
tensor A i32[2,40] "rle; fill = 7" = (0,0):2 (0,1):2 (0,4):3 (1,2):-1 (1,3):-1 (1,4):1
expr y(i) = sum(j, A(i,j) + 1)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in i32[], y_vals: out uninit i32[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: i32 = i32(0)
    let A2_at: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    for r in pA2..A2_end {
      let j_end: i64 = i64(A2_crd[r])
      if A2_at < j_end {
        t = t + (A_vals[r] + i32(1)) * i32(j_end - A2_at)
      }
      A2_at = j_end
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 20, stores 2, branches 23, rounds 11
> out
y = 306 298
