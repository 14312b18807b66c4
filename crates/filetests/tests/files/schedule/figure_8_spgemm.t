# Workspaces paper, figure 8: Gustavson's algorithm; the workspace is dense and copied where it is not zero.
tensor B f64[4,5] csr = (2,1):4 (2,3):1 (3,0):4 (3,2):1 (3,4):2
tensor C f64[5,6] csr = (0,1):4 (0,2):1 (0,3):4 (0,4):1 (1,0):2 (1,2):2 (1,3):2 (2,0):2 (2,3):3 (3,0):3 (3,1):1 (3,4):3 (4,1):4 (4,3):3 (4,5):3
result A csr
schedule reorder(i,k,j); precompute(B(i,k)*C(k,j), j, w, dense)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[dense] (forall k forall j w(j) += B(i,k) * C(k,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out uninit i32[], A_vals: out uninit f64[], w_vals: temp f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(w_vals, j_dim)
  let pA2: i64 = 0
  reserve(A2_pos, i_part + 1)
  A2_pos[0] = 0
  for i in i_begin..i_end {
    vector for p in 0..j_dim {
      w_vals[p] = 0.0
    }
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    for pB2_2 in pB2..B2_end {
      let k: i64 = i64(B2_crd[pB2_2])
      let b_val: f64 = B_vals[pB2_2]
      let pC2: i64 = C2_pos[k]
      let C2_end: i64 = C2_pos[k + 1]
      vector for pC2_2 in pC2..C2_end {
        let j: i64 = i64(C2_crd[pC2_2])
        w_vals[j] += fused(b_val, C_vals[pC2_2])
      }
    }
    for j_2 in 0..j_dim {
      let value: f64 = w_vals[j_2]
      if value != 0.0 {
        reserve(A2_crd, pA2 + 1)
        reserve(A_vals, pA2 + 1)
        A_vals[pA2] = value
        A2_crd[pA2] = i32(j_2)
        pA2 = pA2 + 1
      }
    }
    A2_pos[i_shift + i + 1] = pA2
  }
  set_len(A2_pos, i_part + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> counts
loads 97, stores 66, branches 122, rounds 74
> out
A = (2,0):11 (2,1):1 (2,2):8 (2,3):8 (2,4):3 (3,0):2 (3,1):24 (3,2):4 (3,3):25 (3,4):4 (3,5):6
