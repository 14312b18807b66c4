# What is asked of loops is printed, and lowered.
tensor B f64[3,5] csr = (0,1):2 (0,2):3 (0,4):4 (2,0):5 (2,1):6
tensor x f64[5] dense = 1 2 3 4 5
schedule parallelize(i); unroll(j,2)
expr y(i) = B(i,j) * x(j)
> cin
forall[parallelize] i (y(i) = t) where (forall[unroll(2)] j t += B(i,j) * x(j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], x_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: f64 = 0.0
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    let pB2_2_main: i64 = pB2 + quot(max(B2_end - pB2, 0), 2) * 2
    for pB2_2_2 in pB2..pB2_2_main step 2 {
      let j_2: i64 = i64(B2_crd[pB2_2_2])
      t = t + fused(B_vals[pB2_2_2], x_vals[j_2])
      let j_3: i64 = i64(B2_crd[pB2_2_2 + 1])
      t = t + fused(B_vals[pB2_2_2 + 1], x_vals[j_3])
    }
    vector for pB2_2 in pB2_2_main..B2_end {
      let j: i64 = i64(B2_crd[pB2_2])
      t = t + fused(B_vals[pB2_2], x_vals[j])
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 21, stores 3, branches 21, rounds 7
> out
y = 33 0 17
