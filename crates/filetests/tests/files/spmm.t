# Sparse times dense matrix.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor B f64[4,2] dense = 1 2 3 4 5 6 7 8
expr C(i,k) = A(i,j) * B(j,k)
> cin
forall i forall j forall k C(i,k) += A(i,j) * B(j,k)
> graph
i over the dimension
  j over A(i,j).2
    k over the dimension
      C(i,k) += A(i,j) * B(j,k)
> loops
kernel kernel(i_dim: i64, k_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B_vals: in f64[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(C_vals, i_part * k_dim)
  for i in i_begin..i_end {
    vector for q in (i_shift + i) * k_dim..(i_shift + i) * k_dim + k_dim {
      C_vals[q] = 0.0
    }
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      let a_val: f64 = A_vals[pA2_2]
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
loads 34, stores 14, branches 62, rounds 24
> out
C = 15 18 0 0 29 36 5 10
