# Workspaces paper, figure 3: one operand of a merge is scattered into a workspace, and looked up there.
tensor B f64[3,6] csr = (0,1):4 (0,2):1 (0,3):2 (1,0):2 (1,3):3 (1,5):4 (2,0):3 (2,2):1 (2,3):3 (2,5):1
tensor C f64[3,6] csr = (0,0):3 (0,1):1 (0,4):4 (0,5):1 (1,0):4 (1,1):3 (1,3):4 (1,4):1 (2,0):2 (2,1):2 (2,4):4 (2,5):1
schedule precompute(B(i,j), j, w)
expr a(i) = B(i,j) * C(i,j)
> cin
forall i ((a(i) = t) where (forall j t += w(j) * C(i,j))) where (forall j w(j) = B(i,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], a_vals: out uninit f64[], w_vals: temp f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(w_vals, j_dim)
  reserve(a_vals, i_part)
  for i in i_begin..i_end {
    vector for p in 0..j_dim {
      w_vals[p] = 0.0
    }
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    vector for pB2_2 in pB2..B2_end {
      let j: i64 = i64(B2_crd[pB2_2])
      w_vals[j] = B_vals[pB2_2]
    }
    let t: f64 = 0.0
    let pC2: i64 = C2_pos[i]
    let C2_end: i64 = C2_pos[i + 1]
    vector for pC2_2 in pC2..C2_end {
      let j_2: i64 = i64(C2_crd[pC2_2])
      t = t + fused(w_vals[j_2], C_vals[pC2_2])
    }
    a_vals[i_shift + i] = t
  }
  set_len(a_vals, i_part)
}
> counts
loads 68, stores 31, branches 64, rounds 44
> out
a = 4 20 7
