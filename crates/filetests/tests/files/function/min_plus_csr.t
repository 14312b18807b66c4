# inf decides the product of min-plus where x is not -inf: rows are walked, not whole dimensions.
tensor A f64[3,3] "csr; fill = inf" = (0,0):1 (2,1):2
tensor x f64[3] dense = (0):1 (1):inf (2):5
expr y(i) = min(j, A(i,j) + x(j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: f64 = inf
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    vector for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      t = min(t, A_vals[pA2_2] + x_vals[j])
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 12, stores 3, branches 17, rounds 6
> out
y = 2 inf inf
