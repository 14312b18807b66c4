# Elements that no loop over computed coordinates visits hold the fill value.
tensor A bool[1,1] "(i,j) -> (i+j, j, i) : dense, dense, offset" =
dim l = 1
expr y(i,k,l) = A(i,k) * false
> loops
kernel kernel(i_dim: i64, k_dim: i64, l_dim: i64, y_vals: out bool[]) {
  reserve(y_vals, i_dim * k_dim * l_dim)
  set_len(y_vals, i_dim * k_dim * l_dim)
}
> counts
loads 0, stores 0, branches 0, rounds 0
> out
y =
