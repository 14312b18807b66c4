# CSR to CSC: a histogram of columns, then every element goes to its column's cursor.
tensor A f64[3,4] csr = (0,0):5 (0,1):1 (2,0):8 (2,3):4
result B f64 csc
expr B(i,j) = A(i,j)
> cin
(forall i forall j B(i,j) = map(A(i,j), A(i,j))) where (forall i forall j Q1(j) += map(A(i,j), u32(1)))
> graph
B(i,j).1 inserted, B(i,j).2 inserted
where Q1
  i over the dimension
    j over A(i,j).2
      Q1(j) += map(A(i,j), u32(1))
then
  i over the dimension
    j over A(i,j).2
      B(i,j) = map(A(i,j), A(i,j)), inserted
> loops
kernel kernel(i_dim: i64, j_dim: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: out uninit i64[], B2_crd: out uninit i32[], B_vals: out uninit f64[], Q1_vals: temp u32[]) {
  reserve(Q1_vals, j_dim)
  if 0 < i_dim {
    let begin: i64 = A2_pos[0]
    let end: i64 = A2_pos[i_dim]
    vector for pA2_2 in begin..end {
      let j: i64 = i64(A2_crd[pA2_2])
      Q1_vals[j] += u32(1)
    }
  }
  reserve(B2_pos, j_dim + 1)
  B2_pos[0] = 0
  let slots: i64 = 0
  for p in 0..j_dim {
    let n: i64 = i64(Q1_vals[p])
    Q1_vals[p] = u32(slots)
    slots = slots + n
    B2_pos[p + 1] = slots
  }
  reserve(B2_crd, slots)
  reserve(B_vals, slots)
  for i_2 in 0..i_dim {
    let pA2_3: i64 = A2_pos[i_2]
    let A2_end_2: i64 = A2_pos[i_2 + 1]
    for pA2_4 in pA2_3..A2_end_2 {
      let j_2: i64 = i64(A2_crd[pA2_4])
      let slot: i64 = i64(Q1_vals[j_2])
      Q1_vals[j_2] = u32(slot + 1)
      B2_crd[slot] = i32(i_2)
      B_vals[slot] = A_vals[pA2_4]
    }
  }
  set_len(B2_pos, j_dim + 1)
  set_len(B2_crd, slots)
  set_len(B_vals, slots)
}
> counts
loads 32, stores 25, branches 28, rounds 18
> out
B = (0,0):5 (0,1):1 (2,0):8 (2,3):4
