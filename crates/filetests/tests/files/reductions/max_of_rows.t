# The largest of a row is that of its elements, and 0 if there are fewer of them than columns: no other coordinate is visited.
tensor A f64[4,3] csr = (0,0):-1 (0,1):-2 (0,2):-3 (1,1):-5 (3,0):2 (3,2):4
expr m(i) = max(j, A(i,j))
> cin
forall i ((m(i) = with_fill(max, t, t1, 0.0, j)) where (forall j t max= stored(A(i,j)))) where (forall j t1 += stored(A(i,j), 1))
> graph
i over the dimension
  where t1
    j over A(i,j).2
      t1 += stored(A(i,j), 1)
  then
    where t
      j over A(i,j).2
        t max= stored(A(i,j))
    then
      m(i) = with_fill(max, t, t1, 0.0, j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], m_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(m_vals, i_part)
  for i in i_begin..i_end {
    let t1: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    t1 = t1 + select(pA2 < A2_end, A2_end - pA2, 0)
    let t: f64 = -inf
    let pA2_3: i64 = A2_pos[i]
    let A2_end_2: i64 = A2_pos[i + 1]
    vector for pA2_4 in pA2_3..A2_end_2 {
      t = max(t, A_vals[pA2_4])
    }
    m_vals[i_shift + i] = max(t, select(f64(t1) < f64(j_dim), 0.0, -inf))
  }
  set_len(m_vals, i_part)
}
> counts
loads 22, stores 4, branches 25, rounds 11
> out
m = -1 0 0 4
