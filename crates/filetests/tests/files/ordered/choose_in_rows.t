# The first value of a row that is not 0: a loop ends at it.
tensor A f64[4,5] csr = (0,1):0 (0,3):3 (1,0):-1 (1,2):2 (2,4):5
expr y(i) = choose(j, A(i,j))
> cin
forall i (y(i) = t) where (forall j t choose= A(i,j))
> graph
i over the dimension
  where t
    j over A(i,j).2, until t is not 0
      t choose= A(i,j)
  then
    y(i) = t
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: f64 = 0.0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    for pA2_2 in pA2..A2_end {
      t = select(t != 0.0, t, A_vals[pA2_2])
      if t != 0.0 {
        break
      }
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 12, stores 4, branches 16, rounds 6
> out all-backends
y = 3 -1 5 0
