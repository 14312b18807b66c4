# Slices: a histogram of rows, whose largest value in each slice is the slice's width.
tensor A f64[5,4] csr = (0,0):5 (0,1):1 (2,0):8 (2,2):3 (2,3):4 (4,3):6
result B f64 sell(2)
expr B(i,j) = A(i,j)
> cin
(forall i forall j forall bi forall n forall ri B(bi,n,ri,i,j) = map(A(i,j), A(i,j))) where ((forall i forall bi Q1(bi) max= W1(i)) where (forall i W1(i) = width(A(i,:))))
> graph
B(bi,n,ri,i,j).1 inserted, B(bi,n,ri,i,j).2 inserted, B(bi,n,ri,i,j).3 inserted, B(bi,n,ri,i,j).4 inserted, B(bi,n,ri,i,j).5 inserted
where Q1
  where W1
    i over the dimension
      W1(i) = width(A(i,:))
  then
    i over the dimension
      bi follows
        Q1(bi) max= W1(i)
then
  i over the dimension
    j over A(i,j).2
      bi follows
        n counts elements
          ri follows
            B(bi,n,ri,i,j) = map(A(i,j), A(i,j)), inserted
> loops
kernel kernel(i_dim: i64, j_dim: i64, bi_dim: i64, bi_low: i64, n_dim: i64, n_low: i64, ri_dim: i64, ri_low: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: out i64[], B5_crd: out uninit i32[], B_vals: out f64[], Q1_vals: temp i64[], W1_vals: temp i64[]) {
  reserve(Q1_vals, bi_dim)
  reserve(W1_vals, i_dim)
  vector for i in 0..i_dim {
    W1_vals[i] = A2_pos[i + 1] - A2_pos[i]
  }
  let inv: i64 = 0 - bi_low
  for i_2 in 0..i_dim {
    let bi: i64 = quot(i_2, 2)
    Q1_vals[inv + bi] max= W1_vals[i_2]
  }
  reserve(B2_pos, bi_dim + 1)
  let slots: i64 = 0
  B2_pos[0] = 0
  for p in 0..bi_dim {
    slots = slots + min(Q1_vals[p] - n_low, 1152921504606846976 - slots)
    B2_pos[p + 1] = slots
  }
  let slots_2: i64 = min(slots, 576460752303423488) * 2
  reserve(B5_crd, slots_2)
  vector for p_2 in 0..slots_2 {
    B5_crd[p_2] = i32(-1)
  }
  reserve(B_vals, slots_2)
  for i_3 in 0..i_dim {
    let count: i64 = 0
    let pA2: i64 = A2_pos[i_3]
    let A2_end: i64 = A2_pos[i_3 + 1]
    let inv_2: i64 = quot(i_3, 2)
    let inv_3: i64 = rem(i_3, 2)
    let inv_4: i64 = inv_2 - bi_low
    for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      let a_val: f64 = A_vals[pA2_2]
      let n: i64 = count
      count = n + 1
      B5_crd[(B2_pos[inv_4] + (n - n_low)) * 2 + inv_3] = i32(j)
      B_vals[(B2_pos[inv_4] + (n - n_low)) * 2 + inv_3] = a_val
    }
  }
  set_len(B2_pos, bi_dim + 1)
  set_len(B5_crd, slots_2)
  set_len(B_vals, slots_2)
}
> counts
loads 57, stores 38, branches 58, rounds 41
> out
B = (0,0):5 (0,1):1 (2,0):8 (2,2):3 (2,3):4 (4,3):6
