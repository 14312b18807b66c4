# The loop over the remainder is outside: where the dimension ends is not known there, so it is looked at inside.
tensor A f64[3,2] csr = (0,0):1 (1,1):2 (2,0):3 (2,1):4
tensor x f64[2] dense = 5 7
schedule split(i,i0,i1,2); reorder(i1,i0)
expr y(i) = A(i,j) * x(j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i0_dim: i64, i0_low: i64, i1_dim: i64, i1_low: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], y_vals: out f64[]) {
  reserve(y_vals, i_dim)
  for i1 in 0..i1_low + i1_dim {
    for i0 in i0_low..i0_low + i0_dim {
      let i: i64 = i1 + i0 * 2
      if i >= 0 && i < i_dim {
        let t: f64 = 0.0
        let pA2: i64 = A2_pos[i]
        let A2_end: i64 = A2_pos[i + 1]
        vector for pA2_2 in pA2..A2_end {
          let j: i64 = i64(A2_crd[pA2_2])
          t = t + fused(A_vals[pA2_2], x_vals[j])
        }
        y_vals[i] = t
      }
    }
  }
  set_len(y_vals, i_dim)
}
> counts
loads 18, stores 3, branches 34, rounds 12
> out
y = 5 14 43
