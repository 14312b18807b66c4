tensor A f64[3,4] ell = (0,0):1 (0,2):2 (2,3):3
tensor x f64[4] dense = 1 2 3 4
expr y(i) = A(i,j) * x(j)
> cin
forall n forall i forall j y(i) += A(n,i,j) * x(j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, n_dim: i64, n_low: i64, i_begin: i64, i_end: i64, A1_width: in i64[], A3_crd: in i32[], A_vals: in f64[], x_vals: in f64[], y_vals: out f64[]) {
  let A1_width_2: i64 = A1_width[0]
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for strip in i_begin..i_end step 2048 {
    let strip_end: i64 = min(strip + 2048, i_end)
    let shift: i64 = 0 - n_low
    let n_end: i64 = A1_width_2 + n_low
    for n in n_low..n_end {
      let pA1_2: i64 = n + shift
      let A2_base: i64 = pA1_2 * i_dim
      vector for i in strip..strip_end {
        let pA3: i64 = A2_base + i
        let slot: i64 = i64(A3_crd[pA3])
        let j: i64 = select(slot != -1, slot, 0)
        y_vals[i_shift + i] += select(slot != -1, fused(A_vals[pA3], x_vals[j]), 0.0)
      }
    }
  }
  set_len(y_vals, i_part)
}
> counts
loads 22, stores 3, branches 16, rounds 6
> out
y = 7 0 12
