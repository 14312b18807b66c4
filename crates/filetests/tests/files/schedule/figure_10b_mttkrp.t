# Workspaces paper, figure 10b: the product with D leaves the loop over l.
tensor B f64[3,3,2] csf = (0,0,1):1 (0,2,0):2 (2,1,1):3 (2,1,0):4
tensor D f64[3,2] dense = 1 2 3 4 5 6
tensor C f64[2,2] dense = 1 10 100 1000
schedule precompute(B(i,k,l)*C(l,j), j, w)
expr A(i,j) = B(i,k,l) * C(l,j) * D(k,j)
> cin
forall i forall k (forall j A(i,j) += w(j) * D(k,j)) where (forall l forall j w(j) += B(i,k,l) * C(l,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, l_dim: i64, i_begin: i64, i_end: i64, B1_pos: in i64[], B1_crd: in i32[], B2_pos: in i64[], B2_crd: in i32[], B3_pos: in i64[], B3_crd: in i32[], B_vals: in f64[], C_vals: in f64[], D_vals: in f64[], A_vals: out f64[], w_vals: temp f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(w_vals, j_dim)
  reserve(A_vals, i_part * j_dim)
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
    let pB2: i64 = B2_pos[pB1_2]
    let B2_end: i64 = B2_pos[pB1_2 + 1]
    for pB2_2 in pB2..B2_end {
      let k: i64 = i64(B2_crd[pB2_2])
      vector for p in 0..j_dim {
        w_vals[p] = 0.0
      }
      let pB3: i64 = B3_pos[pB2_2]
      let B3_end: i64 = B3_pos[pB2_2 + 1]
      for pB3_2 in pB3..B3_end {
        let l: i64 = i64(B3_crd[pB3_2])
        let b_val: f64 = B_vals[pB3_2]
        let C2_base: i64 = l * j_dim
        vector for j in 0..j_dim {
          w_vals[j] += fused(b_val, C_vals[C2_base + j])
        }
      }
      let D2_base: i64 = k * j_dim
      let A2_base: i64 = (i_shift + i) * j_dim
      vector for j_2 in 0..j_dim {
        A_vals[A2_base + j_2] += fused(w_vals[j_2], D_vals[D2_base + j_2])
      }
    }
  }
  set_len(A_vals, i_part * j_dim)
}
> counts
loads 57, stores 18, branches 66, rounds 29
> out
A = 110 2120 0 0 912 12160
