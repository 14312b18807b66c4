# Tensor times matrix; the result is sparse in two modes and dense in the last.
tensor X f64[3,3,2] csf = (0,0,1):1 (0,2,0):2 (2,1,1):3 (2,1,0):4
tensor B f64[2,2] dense = 1 2 3 4
result Y ssd
expr Y(i,j,k) = X(i,j,l) * B(l,k)
> cin
forall i forall j forall l forall k Y(i,j,k) += X(i,j,l) * B(l,k)
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, l_dim: i64, i_begin: i64, i_end: i64, X1_pos: in i64[], X1_crd: in i32[], X2_pos: in i64[], X2_crd: in i32[], X3_pos: in i64[], X3_crd: in i32[], X_vals: in f64[], B_vals: in f64[], Y1_pos: out i64[], Y1_crd: out uninit i32[], Y2_pos: out i64[], Y2_crd: out uninit i32[], Y_vals: out uninit f64[]) {
  let pY1: i64 = 0
  let pY2: i64 = 0
  reserve(Y1_pos, 2)
  Y1_pos[0] = 0
  reserve(Y2_pos, 1)
  Y2_pos[0] = 0
  let pX1: i64 = X1_pos[0]
  let X1_end: i64 = X1_pos[1]
  let i_stop: i64 = X1_end
  if 0 < i_begin {
    let first: i64 = pX1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(X1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pX1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pX1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(X1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  for pX1_2 in pX1..i_stop {
    let i: i64 = i64(X1_crd[pX1_2])
    reserve(Y2_pos, pY1 + 2)
    let begin: i64 = pY2
    let pX2: i64 = X2_pos[pX1_2]
    let X2_end: i64 = X2_pos[pX1_2 + 1]
    for pX2_2 in pX2..X2_end {
      let j: i64 = i64(X2_crd[pX2_2])
      reserve(Y_vals, (pY2 + 1) * k_dim)
      vector for q in pY2 * k_dim..pY2 * k_dim + k_dim {
        Y_vals[q] = 0.0
      }
      let pX3: i64 = X3_pos[pX2_2]
      let X3_end: i64 = X3_pos[pX2_2 + 1]
      for pX3_2 in pX3..X3_end {
        let l: i64 = i64(X3_crd[pX3_2])
        let x_val: f64 = X_vals[pX3_2]
        let B2_base: i64 = l * k_dim
        let Y3_base: i64 = pY2 * k_dim
        vector for k in 0..k_dim {
          Y_vals[Y3_base + k] += fused(x_val, B_vals[B2_base + k])
        }
      }
      let q_2: i64 = pY2 * k_dim
      let block_end: i64 = q_2 + k_dim
      while q_2 < block_end && Y_vals[q_2] == 0.0 {
        q_2 = q_2 + 1
      }
      if q_2 < block_end {
        reserve(Y2_crd, pY2 + 1)
        Y2_crd[pY2] = i32(j)
        pY2 = pY2 + 1
      }
    }
    if begin < pY2 {
      reserve(Y1_crd, pY1 + 1)
      Y1_crd[pY1] = i32(i)
      Y2_pos[pY1 + 1] = pY2
      pY1 = pY1 + 1
    }
  }
  Y1_pos[1] = pY1
  set_len(Y1_pos, 2)
  set_len(Y1_crd, pY1)
  set_len(Y2_pos, pY1 + 1)
  set_len(Y2_crd, pY2)
  set_len(Y_vals, pY2 * k_dim)
}
> counts
loads 42, stores 22, branches 68, rounds 23
> out
Y = (0,0,0):3 (0,0,1):4 (0,2,0):2 (0,2,1):4 (2,1,0):13 (2,1,1):20
