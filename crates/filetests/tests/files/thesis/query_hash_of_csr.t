# Counting the children of a compressed level is a difference of positions.
tensor A f64[3,4] csr = (0,0):5 (0,1):1 (2,0):8 (2,3):4
result B f64 hash
expr B(i,j) = A(i,j)
> cin
(forall i forall j B(i,j) = map(A(i,j), A(i,j))) where (forall i Q1(i) = u32(width(A(i,:))))
> graph
B(i,j).1 inserted, B(i,j).2 inserted
where Q1
  i over the dimension
    Q1(i) = u32(width(A(i,:)))
then
  i over the dimension
    j over A(i,j).2
      B(i,j) = map(A(i,j), A(i,j)), inserted
> loops
kernel kernel(i_dim: i64, j_dim: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_width: out i64[], B2_crd: out uninit i32[], B_vals: out f64[], Q1_vals: temp u32[]) {
  reserve(Q1_vals, i_dim)
  vector for i in 0..i_dim {
    Q1_vals[i] = u32(A2_pos[i + 1] - A2_pos[i])
  }
  let most: i64 = 0
  for p in 0..i_dim {
    most = max(most, i64(Q1_vals[p]))
  }
  let width: i64 = 1
  let inv: i64 = most + most
  while width < inv {
    width = width + width
  }
  reserve(B2_width, 1)
  B2_width[0] = width
  let slots: i64 = min(i_dim, max(quot(1152921504606846976, max(width, 1)), 1)) * width
  reserve(B2_crd, slots)
  vector for p_2 in 0..slots {
    B2_crd[p_2] = i32(-1)
  }
  reserve(B_vals, slots)
  for i_2 in 0..i_dim {
    let pA2: i64 = A2_pos[i_2]
    let A2_end: i64 = A2_pos[i_2 + 1]
    for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      let table: i64 = i_2 * width
      let start: i64 = j
      start = (start ^ shr(start, 32) & 4294967295) * -2960836687051489901
      start = (start ^ shr(start, 32) & 4294967295) * -2960836687051489901
      start = (start ^ shr(start, 32) & 4294967295) & width - 1
      let bucket: i64 = start
      let inv_2: i64 = width - 1
      while i64(B2_crd[table + bucket]) != -1 {
        bucket = bucket + 1 & inv_2
      }
      if 1024 < bucket - start & width - 1 {
        fail(crowded)
      }
      B2_crd[table + bucket] = i32(j)
      B_vals[table + bucket] = A_vals[pA2_2]
    }
  }
  set_len(B2_width, 1)
  set_len(B2_crd, slots)
  set_len(B_vals, slots)
}
> counts
loads 28, stores 24, branches 56, rounds 33
> out
B = (0,0):5 (0,1):1 (2,0):8 (2,3):4
