# Figure 6-4: CSR to DIA.
tensor A f64[4,6] csr = (0,0):5 (0,1):1 (1,1):7 (1,2):3 (2,0):8 (2,2):2 (3,1):4 (3,3):9
result B f64 dia
expr B(i,j) = A(i,j)
> cin
(forall i forall j forall d B(d,i,j) = map(A(i,j), A(i,j))) where (forall i forall j forall d Q1(d) |= map(A(i,j), true))
> graph
B(d,i,j).1 inserted, B(d,i,j).2 inserted, B(d,i,j).3 inserted
where Q1
  i over the dimension
    j over A(i,j).2
      d follows
        Q1(d) |= map(A(i,j), true)
then
  i over the dimension
    j over A(i,j).2
      d follows
        B(d,i,j) = map(A(i,j), A(i,j)), inserted
> loops
kernel kernel(i_dim: i64, j_dim: i64, d_dim: i64, d_low: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B1_count: out i64[], B1_perm: out uninit i32[], B_vals: out f64[], Q1_vals: temp bool[], places: temp i64[]) {
  reserve(Q1_vals, d_dim)
  for i in 0..i_dim {
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let inv: i64 = 0 - d_low
    for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      let d: i64 = j - i
      Q1_vals[inv + d] = true
    }
  }
  let count_2: i64 = 0
  for c in 0..d_dim {
    count_2 = count_2 + i64(Q1_vals[c])
  }
  reserve(B1_count, 1)
  B1_count[0] = count_2
  reserve(B1_perm, count_2)
  reserve(places, d_dim)
  let count: i64 = 0
  for c_2 in 0..d_dim {
    if Q1_vals[c_2] {
      B1_perm[count] = i32(c_2 + d_low)
      places[c_2] = count
      count = count + 1
    }
  }
  let slots: i64 = min(1, max(quot(1152921504606846976, max(count_2, 1)), 1)) * count_2
  let slots_2: i64 = min(slots, max(quot(1152921504606846976, max(i_dim, 1)), 1)) * i_dim
  reserve(B_vals, slots_2)
  for i_2 in 0..i_dim {
    let pA2_3: i64 = A2_pos[i_2]
    let A2_end_2: i64 = A2_pos[i_2 + 1]
    vector for pA2_4 in pA2_3..A2_end_2 {
      let j_2: i64 = i64(A2_crd[pA2_4])
      let a_val: f64 = A_vals[pA2_4]
      let d_2: i64 = j_2 - i_2
      B_vals[places[d_2 - d_low] * i_dim + i_2] = a_val
    }
  }
  set_len(B1_count, 1)
  set_len(B1_perm, count_2)
  set_len(B_vals, slots_2)
}
> counts
loads 66, stores 23, branches 71, rounds 46
> out
B = (0,0):5 (0,1):1 (1,1):7 (1,2):3 (2,0):8 (2,2):2 (3,1):4 (3,3):9
