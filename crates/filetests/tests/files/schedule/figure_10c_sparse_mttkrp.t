# Workspaces paper, figure 10c: a second workspace collects a row of the sparse result.
tensor B f64[3,3,2] csf = (0,0,1):1 (0,2,0):2 (2,1,1):3 (2,1,0):4
tensor D f64[3,4] csr = (0,0):1 (0,3):2 (1,1):3 (2,0):4 (2,3):5
tensor C f64[2,4] csr = (0,0):1 (0,1):10 (1,1):100 (1,3):1000
result A csr
schedule precompute(B(i,k,l)*C(l,j), j, w, dense); precompute(w(j)*D(k,j), j, v, dense)
expr A(i,j) = B(i,k,l) * C(l,j) * D(k,j)
> cin
forall i (forall j A(i,j) = v(j)) where[dense] (forall k (forall j v(j) += w(j) * D(k,j)) where[dense] (forall l forall j w(j) += B(i,k,l) * C(l,j)))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, l_dim: i64, i_begin: i64, i_end: i64, B1_pos: in i64[], B1_crd: in i32[], B2_pos: in i64[], B2_crd: in i32[], B3_pos: in i64[], B3_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], D2_pos: in i64[], D2_crd: in i32[], D_vals: in f64[], A2_pos: out i64[], A2_crd: out uninit i32[], A_vals: out uninit f64[], v_vals: temp f64[], w_vals: temp f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(v_vals, j_dim)
  reserve(w_vals, j_dim)
  let pA2: i64 = 0
  reserve(A2_pos, i_part + 1)
  A2_pos[0] = 0
  let pB1: i64 = B1_pos[0]
  let B1_end: i64 = B1_pos[1]
  let i_stop: i64 = B1_end
  if 0 < i_begin {
    let first: i64 = pB1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(B1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pB1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pB1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(B1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  for pB1_2 in pB1..i_stop {
    let i: i64 = i64(B1_crd[pB1_2])
    vector for p in 0..j_dim {
      v_vals[p] = 0.0
    }
    let pB2: i64 = B2_pos[pB1_2]
    let B2_end: i64 = B2_pos[pB1_2 + 1]
    for pB2_2 in pB2..B2_end {
      let k: i64 = i64(B2_crd[pB2_2])
      vector for p_2 in 0..j_dim {
        w_vals[p_2] = 0.0
      }
      let pB3: i64 = B3_pos[pB2_2]
      let B3_end: i64 = B3_pos[pB2_2 + 1]
      for pB3_2 in pB3..B3_end {
        let l: i64 = i64(B3_crd[pB3_2])
        let b_val: f64 = B_vals[pB3_2]
        let pC2: i64 = C2_pos[l]
        let C2_end: i64 = C2_pos[l + 1]
        vector for pC2_2 in pC2..C2_end {
          let j: i64 = i64(C2_crd[pC2_2])
          w_vals[j] += fused(b_val, C_vals[pC2_2])
        }
      }
      let pD2: i64 = D2_pos[k]
      let D2_end: i64 = D2_pos[k + 1]
      vector for pD2_2 in pD2..D2_end {
        let j_2: i64 = i64(D2_crd[pD2_2])
        v_vals[j_2] += fused(w_vals[j_2], D_vals[pD2_2])
      }
    }
    for j_3 in 0..j_dim {
      let value: f64 = v_vals[j_3]
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
  for q in 0..i_part {
    if A2_pos[q + 1] < A2_pos[q] {
      A2_pos[q + 1] = A2_pos[q]
    }
  }
  set_len(A2_pos, i_part + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> counts
loads 98, stores 43, branches 100, rounds 57
> out
A = (0,0):8 (0,3):2000 (2,1):1020
