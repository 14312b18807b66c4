# The band around the diagonal: min(j-i) and max(j-i) as two reductions.
tensor A f64[4,4] csr = (0,0):5 (0,1):1 (1,1):7 (2,1):8 (3,3):4
result B f64 banded
expr B(i,j) = A(i,j)
> cin
((forall i forall j B(i,j) = map(A(i,j), A(i,j))) where (forall i forall j Q1 max= map(A(i,j), -(j - i)))) where (forall i forall j Q2 max= map(A(i,j), j - i))
> graph
B(i,j).1 inserted, B(i,j).2 inserted
where Q2
  i over the dimension
    j over A(i,j).2
      Q2 max= map(A(i,j), j - i)
then
  where Q1
    i over the dimension
      j over A(i,j).2
        Q1 max= map(A(i,j), -(j - i))
  then
    i over the dimension
      j over A(i,j).2
        B(i,j) = map(A(i,j), A(i,j)), inserted
> loops
kernel kernel(i_dim: i64, j_dim: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_bounds: out i64[], B_vals: out f64[]) {
  let Q2: i64 = -9223372036854775808
  for i in 0..i_dim {
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    vector for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      Q2 = max(Q2, j - i)
    }
  }
  let Q1: i64 = -9223372036854775808
  for i_2 in 0..i_dim {
    let pA2_3: i64 = A2_pos[i_2]
    let A2_end_2: i64 = A2_pos[i_2 + 1]
    vector for pA2_4 in pA2_3..A2_end_2 {
      let j_2: i64 = i64(A2_crd[pA2_4])
      Q1 = max(Q1, -(j_2 - i_2))
    }
  }
  reserve(B2_bounds, 2)
  let lower: i64 = select(Q1 != -9223372036854775808, 0 - (0 - Q1), 0)
  let upper: i64 = select(Q1 != -9223372036854775808, Q2, -1)
  B2_bounds[0] = lower
  B2_bounds[1] = upper
  let slots: i64 = min(i_dim, max(quot(1152921504606846976, max(lower + upper + 1, 1)), 1)) * (lower + upper + 1)
  reserve(B_vals, slots)
  for i_3 in 0..i_dim {
    let pA2_5: i64 = A2_pos[i_3]
    let A2_end_3: i64 = A2_pos[i_3 + 1]
    let inv: i64 = i_3 * (lower + upper + 1)
    vector for pA2_6 in pA2_5..A2_end_3 {
      let j_3: i64 = i64(A2_crd[pA2_6])
      B_vals[inv + (j_3 - i_3 + lower)] = A_vals[pA2_6]
    }
  }
  set_len(B2_bounds, 2)
  set_len(B_vals, slots)
}
> counts
loads 44, stores 7, branches 64, rounds 30
> out
B = (0,0):5 (0,1):1 (1,1):7 (2,1):8 (3,3):4
