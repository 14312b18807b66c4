# A maximum takes the value of a run once, however long the run is, and a sum takes it times its length.
tensor A i64[2,40] rle = (0,0):2 (0,1):2 (0,4):3 (1,2):-1 (1,3):-1 (1,4):1
expr y(i) = max(j, A(i,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in i64[], y_vals: out uninit i64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: i64 = -9223372036854775808
    let A2_at: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    for r in pA2..A2_end {
      let j_end: i64 = i64(A2_crd[r])
      if A2_at < j_end {
        t = max(t, A_vals[r])
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
y = 3 1
