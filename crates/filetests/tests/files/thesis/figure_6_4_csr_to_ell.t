# Figure 6-4: CSR to ELL.
tensor A f64[4,6] csr = (0,0):5 (0,1):1 (1,1):7 (1,2):3 (2,0):8 (2,2):2 (3,1):4 (3,3):9 (3,4):6
result B f64 ell
expr B(i,j) = A(i,j)
> cin
(forall i forall j forall n B(n,i,j) = map(A(i,j), A(i,j))) where (forall i Q1 max= width(A(i,:)))
> graph
B(n,i,j).1 inserted, B(n,i,j).2 inserted, B(n,i,j).3 inserted
where Q1
  i over the dimension
    Q1 max= width(A(i,:))
then
  i over the dimension
    j over A(i,j).2
      n counts elements
        B(n,i,j) = map(A(i,j), A(i,j)), inserted
> loops
kernel kernel(i_dim: i64, j_dim: i64, n_dim: i64, n_low: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B1_width: out i64[], B3_crd: out uninit i32[], B_vals: out f64[]) {
  let Q1: i64 = 0
  vector for i in 0..i_dim {
    Q1 = max(Q1, A2_pos[i + 1] - A2_pos[i])
  }
  let width: i64 = Q1 - n_low
  reserve(B1_width, 1)
  B1_width[0] = width
  let slots: i64 = min(1, max(quot(1152921504606846976, max(width, 1)), 1)) * width
  let slots_2: i64 = min(slots, max(quot(1152921504606846976, max(i_dim, 1)), 1)) * i_dim
  reserve(B3_crd, slots_2)
  vector for p in 0..slots_2 {
    B3_crd[p] = i32(-1)
  }
  reserve(B_vals, slots_2)
  for i_2 in 0..i_dim {
    let count: i64 = 0
    let pA2: i64 = A2_pos[i_2]
    let A2_end: i64 = A2_pos[i_2 + 1]
    for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      let a_val: f64 = A_vals[pA2_2]
      let n: i64 = count
      count = n + 1
      B3_crd[(n - n_low) * i_dim + i_2] = i32(j)
      B_vals[(n - n_low) * i_dim + i_2] = a_val
    }
  }
  set_len(B1_width, 1)
  set_len(B3_crd, slots_2)
  set_len(B_vals, slots_2)
}
> counts
loads 34, stores 31, branches 44, rounds 32
> out
B = (0,0):5 (0,1):1 (1,1):7 (1,2):3 (2,0):8 (2,2):2 (3,1):4 (3,3):9 (3,4):6
