# Workspaces paper, figure 4: two loops add to one workspace, the second by result reuse.
tensor B f64[3,6] csr = (0,1):4 (0,4):4 (1,1):3 (1,2):4 (1,4):2 (2,0):3 (2,1):4 (2,2):3 (2,3):3
tensor C f64[3,6] csr = (0,1):3 (0,3):3 (0,5):2 (1,1):3 (1,2):3 (1,3):3 (1,4):3 (2,1):2
result A csr
schedule precompute(B(i,j)+C(i,j), j, w, dense); precompute(B(i,j), j, w)
expr A(i,j) = B(i,j) + C(i,j)
> cin
forall i (forall j A(i,j) = w(j)) where[dense] ({forall j w(j) = B(i,j); forall j w(j) += C(i,j)})
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out uninit i32[], A_vals: out uninit f64[], w_vals: temp f64[]) {
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
    vector for pB2_2 in pB2..B2_end {
      let j: i64 = i64(B2_crd[pB2_2])
      w_vals[j] = B_vals[pB2_2]
    }
    let pC2: i64 = C2_pos[i]
    let C2_end: i64 = C2_pos[i + 1]
    vector for pC2_2 in pC2..C2_end {
      let j_2: i64 = i64(C2_crd[pC2_2])
      w_vals[j_2] += C_vals[pC2_2]
    }
    for j_3 in 0..j_dim {
      let value: f64 = w_vals[j_3]
      if value != 0.0 {
        reserve(A2_crd, pA2 + 1)
        reserve(A_vals, pA2 + 1)
        A_vals[pA2] = value
        A2_crd[pA2] = i32(j_3)
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
loads 72, stores 63, branches 92, rounds 57
> out
A = 0 7 0 3 4 2 0 6 7 3 5 0 3 6 3 3 0 0
