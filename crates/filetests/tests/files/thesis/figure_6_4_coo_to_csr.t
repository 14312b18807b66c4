# Figure 6-4: COO, in any order, to CSR, whose rows come in that order too.
tensor A f64[4,6] "(i,j) -> (i,j) : compressed(nonunique,unordered), singleton(unordered)" = (2,0):8 (0,0):5 (3,4):6 (0,1):1 (1,1):7
result B f64 "(i,j) -> (i,j) : dense, compressed(unordered)"
expr B(i,j) = A(i,j)
> cin
(forall i forall j B(i,j) = map(A(i,j), A(i,j))) where (forall i forall j Q1(i) += map(A(i,j), u32(1)))
> graph
B(i,j).1 inserted, B(i,j).2 inserted
where Q1
  i over A(i,j).1 with what is below
    j once, at A(i,j).2
      Q1(i) += map(A(i,j), u32(1))
then
  i over A(i,j).1 with what is below
    j once, at A(i,j).2
      B(i,j) = map(A(i,j), A(i,j)), inserted
> loops
kernel kernel(i_dim: i64, j_dim: i64, A1_pos: in i64[], A1_crd: in i32[], A2_crd: in i32[], A_vals: in f64[], B2_pos: out i64[], B2_crd: out uninit i32[], B_vals: out uninit f64[], Q1_vals: temp u32[]) {
  reserve(Q1_vals, i_dim)
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  runs for pA1_2 in pA1..A1_end {
    let i: i64 = i64(A1_crd[pA1_2])
    Q1_vals[i] += u32(1)
  }
  reserve(B2_pos, i_dim + 1)
  B2_pos[0] = 0
  let slots: i64 = 0
  for p in 0..i_dim {
    let n: i64 = i64(Q1_vals[p])
    Q1_vals[p] = u32(slots)
    slots = slots + n
    B2_pos[p + 1] = slots
  }
  reserve(B2_crd, slots)
  reserve(B_vals, slots)
  let pA1_3: i64 = A1_pos[0]
  let A1_end_2: i64 = A1_pos[1]
  runs for pA1_4 in pA1_3..A1_end_2 {
    let i_2: i64 = i64(A1_crd[pA1_4])
    let j_2: i64 = i64(A2_crd[pA1_4])
    let slot: i64 = i64(Q1_vals[i_2])
    Q1_vals[i_2] = u32(slot + 1)
    B2_crd[slot] = i32(j_2)
    B_vals[slot] = A_vals[pA1_4]
  }
  set_len(B2_pos, i_dim + 1)
  set_len(B2_crd, slots)
  set_len(B_vals, slots)
}
> counts
loads 38, stores 29, branches 26, rounds 15
> out
B = (0,0):5 (0,1):1 (1,1):7 (2,0):8 (3,4):6
