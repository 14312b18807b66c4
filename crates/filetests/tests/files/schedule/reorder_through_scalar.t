# The scalar that holds a row's sum stands between the loops; it goes first.
tensor A f64[3,4] dense = 1 2 3 4 5 6 7 8 9 10 11 12
tensor x f64[4] dense = 1 2 3 4
schedule reorder(j,i)
expr y(i) = A(i,j) * x(j)
> cin
forall j forall i y(i) += A(i,j) * x(j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, j_begin: i64, j_end: i64, A_vals: in f64[], x_vals: in f64[], y_vals: out f64[]) {
  reserve(y_vals, i_dim)
  for j in j_begin..j_end {
    let x_val: f64 = x_vals[j]
    vector for i in 0..i_dim {
      y_vals[i] += fused(A_vals[i * j_dim + j], x_val)
    }
  }
  set_len(y_vals, i_dim)
}
> counts
loads 19, stores 3, branches 13, rounds 5
> out
y = 30 70 110
