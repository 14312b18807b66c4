# The row of a scalar is located, and nothing else of the matrix is read.
tensor A f64[4,4] csr = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
tensor s i64[] dense = 3
expr y(j) = A(i,j) * (i == s)
> graph
i over [i == s]
  j over A(i,j).2
    y(j) += A(i,j)
> loops
kernel kernel(j_dim: i64, i_dim: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], s_vals: in i64[], y_vals: out f64[]) {
  reserve(y_vals, j_dim)
  let pi_set1: i64 = min(max(s_vals[0], 0), i_dim)
  let i_set1_end: i64 = min(max(s_vals[0], -1), i_dim - 1) + 1
  if pi_set1 < i_set1_end {
    let pA2: i64 = A2_pos[pi_set1]
    let A2_end: i64 = A2_pos[pi_set1 + 1]
    vector for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      y_vals[j] += A_vals[pA2_2]
    }
  }
  set_len(y_vals, j_dim)
}
> counts
loads 13, stores 3, branches 7, rounds 4
> out all-backends
y = 5 6 0 7
