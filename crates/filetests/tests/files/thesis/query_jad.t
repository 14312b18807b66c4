# Jagged diagonals: a histogram of rows tells the width, a histogram of counts the slices.
tensor A f64[3,4] csr = (0,0):5 (0,1):1 (2,0):8 (2,2):3 (2,3):4
result B f64 jad
expr B(i,j) = A(i,j)
> cin
((forall i forall j forall n B(n,i,j) = map(A(i,j), A(i,j))) where (forall i Q1 max= width(A(i,:)))) where (forall i forall j forall n Q2(n) += map(A(i,j), u32(1)))
> graph
B(n,i,j).1 inserted, B(n,i,j).2 inserted, B(n,i,j).3 inserted
where Q2
  i over the dimension
    j over A(i,j).2
      n counts elements
        Q2(n) += map(A(i,j), u32(1))
then
  where Q1
    i over the dimension
      Q1 max= width(A(i,:))
  then
    i over the dimension
      j over A(i,j).2
        n counts elements
          B(n,i,j) = map(A(i,j), A(i,j)), inserted
> loops
kernel kernel(i_dim: i64, j_dim: i64, n_dim: i64, n_low: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B1_width: out i64[], B2_pos: out i64[], B2_crd: out uninit i32[], B3_crd: out uninit i32[], B_vals: out uninit f64[], Q2_vals: temp u32[]) {
  reserve(Q2_vals, n_dim)
  for i in 0..i_dim {
    let count: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let inv: i64 = 0 - n_low
    for pA2_2 in pA2..A2_end {
      let n: i64 = count
      count = n + 1
      Q2_vals[inv + n] += u32(1)
    }
  }
  let Q1: i64 = 0
  vector for i_2 in 0..i_dim {
    Q1 = max(Q1, A2_pos[i_2 + 1] - A2_pos[i_2])
  }
  let width: i64 = Q1 - n_low
  reserve(B1_width, 1)
  B1_width[0] = width
  let slots: i64 = min(1, max(quot(1152921504606846976, max(width, 1)), 1)) * width
  reserve(B2_pos, slots + 1)
  B2_pos[0] = 0
  let slots_2: i64 = 0
  for p in 0..slots {
    let n_2: i64 = i64(Q2_vals[p])
    Q2_vals[p] = u32(slots_2)
    slots_2 = slots_2 + n_2
    B2_pos[p + 1] = slots_2
  }
  reserve(B2_crd, slots_2)
  reserve(B3_crd, slots_2)
  reserve(B_vals, slots_2)
  for i_3 in 0..i_dim {
    let count_2: i64 = 0
    let pA2_3: i64 = A2_pos[i_3]
    let A2_end_2: i64 = A2_pos[i_3 + 1]
    for pA2_4 in pA2_3..A2_end_2 {
      let j_2: i64 = i64(A2_crd[pA2_4])
      let a_val: f64 = A_vals[pA2_4]
      let n_3: i64 = count_2
      count_2 = n_3 + 1
      let at: i64 = n_3 - n_low
      let slot: i64 = i64(Q2_vals[at])
      Q2_vals[at] = u32(slot + 1)
      B2_crd[slot] = i32(i_3)
      B3_crd[slot] = i32(j_2)
      B_vals[slot] = a_val
    }
  }
  set_len(B1_width, 1)
  set_len(B2_pos, slots + 1)
  set_len(B2_crd, slots_2)
  set_len(B3_crd, slots_2)
  set_len(B_vals, slots_2)
}
> counts
loads 41, stores 33, branches 44, rounds 26
> out
B = (0,0):5 (0,1):1 (2,0):8 (2,2):3 (2,3):4
