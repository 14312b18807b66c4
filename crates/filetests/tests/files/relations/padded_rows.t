# Slots of padding ask whether a comparison leaves them out.
tensor A f64[4,4] ell = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
tensor x f64[4] dense = (0):1 (1):2 (2):3 (3):4
expr y(i) = A(i,j) * x(j) * (j <= i) * (j != 1)
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
      let inv: i64 = j_dim - 1
      vector for i in strip..strip_end {
        let pA3: i64 = A2_base + i
        let j_to: i64 = min(max(i, -1), inv) + 1
        let j: i64 = i64(A3_crd[pA3])
        if (j != -1) & ((j >= 0) & (j < j_to)) & (j != 1) {
          y_vals[i_shift + i] += fused(A_vals[pA3], x_vals[j])
        }
      }
    }
  }
  set_len(y_vals, i_part)
}
> counts
loads 25, stores 4, branches 38, rounds 17
> out all-backends
y = 1 3 0 33
