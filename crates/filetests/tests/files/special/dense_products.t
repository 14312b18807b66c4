# Dense operands follow the same rule as sparse ones.
tensor A f64[2,3] dense = (0,0):inf (0,1):0 (1,2):nan
tensor B f64[3,2] dense = (0,1):1 (1,0):inf (2,1):2
expr C(i,k) = A(i,j) * B(j,k)
> loops
kernel kernel(i_dim: i64, k_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A_vals: in f64[], B_vals: in f64[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(C_vals, i_part * k_dim)
  for i in i_begin..i_end {
    vector for q in (i_shift + i) * k_dim..(i_shift + i) * k_dim + k_dim {
      C_vals[q] = 0.0
    }
    let A2_base: i64 = i * j_dim
    for j in 0..j_dim {
      let a_val: f64 = A_vals[A2_base + j]
      let B2_base: i64 = j * k_dim
      let C2_base: i64 = (i_shift + i) * k_dim
      vector for k in 0..k_dim {
        C_vals[C2_base + k] += fused(a_val, B_vals[B2_base + k])
      }
    }
  }
  set_len(C_vals, i_part * k_dim)
}
> counts
loads 52, stores 24, branches 98, rounds 44
> out
C = 0 inf 0 NaN
