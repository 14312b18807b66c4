# What stays needs no copy, and columns come in any order.
tensor y f64[4] dense = 1 2 3 4
tensor A f64[3,4] csr = (0,1):2 (0,3):5 (2,0):5
tensor x f64[3] dense = 1 1 -1
expr y(j) += A(i,j) * x(i)
> variants
in place    in the memory of `y`, whose values become the result's, if `y` is given away and A(i,j) is finite and x(i) is finite
kernel      the kernel, unless NaN is in the result (tried first in every run)
deciding    the kernel in which annihilators decide element by element (where the result of 2 is rejected)
> in-place y
[over y_old] forall i forall j y(j) += A(i,j) * x(i)
kernel kernel(j_dim: i64, i_dim: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], y_vals: out given f64[]) {
  reserve(y_vals, j_dim)
  for i in 0..i_dim {
    let x_val: f64 = x_vals[i]
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    vector for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      y_vals[j] += fused(A_vals[pA2_2], x_val)
    }
  }
  set_len(y_vals, j_dim)
}
> out
y = -4 4 3 9
