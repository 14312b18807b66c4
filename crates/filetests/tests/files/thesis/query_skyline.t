# The first and the last coordinate of every row.
tensor A f64[3,4] coo = (0,1):5 (0,2):1 (2,0):8 (2,3):4
result B f64 sky
expr B(i,j) = A(i,j)
> cin
((forall i forall j B(i,j) = map(A(i,j), A(i,j))) where (forall i forall j Q1(i) max= map(A(i,j), -j))) where (forall i forall j Q2(i) max= map(A(i,j), j + 1))
> graph
B(i,j).1 inserted, B(i,j).2 inserted
where Q2
  i over A(i,j).1 with what is below
    j once, at A(i,j).2
      Q2(i) max= map(A(i,j), j + 1)
then
  where Q1
    i over A(i,j).1 with what is below
      j once, at A(i,j).2
        Q1(i) max= map(A(i,j), -j)
  then
    i over A(i,j).1 with what is below
      j once, at A(i,j).2
        B(i,j) = map(A(i,j), A(i,j)), inserted
> loops
kernel kernel(i_dim: i64, j_dim: i64, A1_pos: in i64[], A1_crd: in i32[], A2_crd: in i32[], A_vals: in f64[], B2_pos: out i64[], B2_first: out uninit i32[], B_vals: out f64[], Q1_vals: temp i64[], Q2_vals: temp i64[]) {
  reserve(Q2_vals, i_dim)
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  runs for pA1_2 in pA1..A1_end {
    let i: i64 = i64(A1_crd[pA1_2])
    let j: i64 = i64(A2_crd[pA1_2])
    Q2_vals[i] max= j + 1
  }
  reserve(Q1_vals, i_dim)
  vector for p in 0..i_dim {
    Q1_vals[p] = -9223372036854775808
  }
  let pA1_3: i64 = A1_pos[0]
  let A1_end_2: i64 = A1_pos[1]
  runs for pA1_4 in pA1_3..A1_end_2 {
    let i_2: i64 = i64(A1_crd[pA1_4])
    let j_2: i64 = i64(A2_crd[pA1_4])
    Q1_vals[i_2] max= -j_2
  }
  reserve(B2_pos, i_dim + 1)
  reserve(B2_first, i_dim)
  let slots: i64 = 0
  B2_pos[0] = 0
  for p_2 in 0..i_dim {
    let least: i64 = select(Q1_vals[p_2] != -9223372036854775808, Q1_vals[p_2] * -1, 0)
    let most: i64 = select(Q1_vals[p_2] != -9223372036854775808, Q2_vals[p_2] - 1, -1)
    B2_first[p_2] = i32(least)
    slots = slots + min(most - least + 1, 1152921504606846976 - slots)
    B2_pos[p_2 + 1] = slots
  }
  reserve(B_vals, slots)
  let pA1_5: i64 = A1_pos[0]
  let A1_end_3: i64 = A1_pos[1]
  runs for pA1_6 in pA1_5..A1_end_3 {
    let i_3: i64 = i64(A1_crd[pA1_6])
    let j_3: i64 = i64(A2_crd[pA1_6])
    B_vals[B2_pos[i_3] + (j_3 - i64(B2_first[i_3]))] = A_vals[pA1_6]
  }
  set_len(B2_pos, i_dim + 1)
  set_len(B2_first, i_dim)
  set_len(B_vals, slots)
}
> counts
loads 62, stores 22, branches 36, rounds 17
> out
B = (0,1):5 (0,2):1 (2,0):8 (2,3):4
