# The whole product in a dense workspace over both variables.
tensor B f64[5,4] csc = (0,1):3 (0,2):4 (1,3):4 (2,1):3 (2,3):3 (3,0):4 (3,3):2 (4,0):3
tensor C f64[4,6] csr = (0,0):2 (1,2):1 (1,5):2 (2,0):2 (2,2):3 (2,3):1 (3,1):1 (3,2):2 (3,3):4 (3,4):2 (3,5):2
result A csr
schedule precompute(B(i,k)*C(k,j), {i,j}, w, dense)
expr A(i,j) = B(i,k) * C(k,j)
> cin
(forall i forall j A(i,j) = w(i,j)) where[dense] (forall k forall i forall j w(i,j) += B(i,k) * C(k,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out i32[], A_vals: out f64[], w_vals: temp f64[]) {
  let pA2: i64 = 0
  reserve(A2_pos, i_dim + 1)
  A2_pos[0] = 0
  reserve(w_vals, i_dim * j_dim)
  for k in 0..k_dim {
    let pB2: i64 = B2_pos[k]
    let B2_end: i64 = B2_pos[k + 1]
    for pB2_2 in pB2..B2_end {
      let i: i64 = i64(B2_crd[pB2_2])
      let b_val: f64 = B_vals[pB2_2]
      let w2_base: i64 = i * j_dim
      let pC2: i64 = C2_pos[k]
      let C2_end: i64 = C2_pos[k + 1]
      vector for pC2_2 in pC2..C2_end {
        let j: i64 = i64(C2_crd[pC2_2])
        w_vals[w2_base + j] += b_val * C_vals[pC2_2]
      }
    }
  }
  for i_2 in 0..i_dim {
    let w2_base_2: i64 = i_2 * j_dim
    for j_2 in 0..j_dim {
      let value: f64 = w_vals[w2_base_2 + j_2]
      if value != 0.0 {
        reserve(A2_crd, pA2 + 1)
        reserve(A_vals, pA2 + 1)
        A_vals[pA2] = value
        A2_crd[pA2] = i32(j_2)
        pA2 = pA2 + 1
      }
    }
    A2_pos[i_2 + 1] = pA2
  }
  for q in 0..i_dim {
    if A2_pos[q + 1] < A2_pos[q] {
      A2_pos[q + 1] = A2_pos[q]
    }
  }
  set_len(A2_pos, i_dim + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> out
A = 8 0 15 4 0 6 0 4 8 16 8 8 0 3 9 12 6 12 8 2 4 8 4 4 6 0 0 0 0 0
