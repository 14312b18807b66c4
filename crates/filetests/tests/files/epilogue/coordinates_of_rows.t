# Elements of one row are added up in a loop of their own, which keeps the row in registers.
tensor W f64[3,4] coo = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
expr Y(i,k) = W(i,j) * X(j,k)
> cin
forall i forall j forall k Y(i,k) += W(i,j) * X(j,k)
> loops
kernel kernel(i_dim: i64, k_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, W1_pos: in i64[], W1_crd: in i32[], W2_crd: in i32[], W_vals: in f64[], X_vals: in f64[], Y_vals: out f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(Y_vals, i_part * k_dim)
  let pW1: i64 = W1_pos[0]
  let W1_end: i64 = W1_pos[1]
  let i_stop: i64 = W1_end
  if 0 < i_begin {
    let first: i64 = pW1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(W1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pW1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pW1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(W1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  while pW1 < i_stop {
    let iW: i64 = i64(W1_crd[pW1])
    let run: i64 = pW1
    run = pW1 + 1
    while run < i_stop && i64(W1_crd[run]) == iW {
      run = run + 1
    }
    let pW2: i64 = pW1
    for pW2_2 in pW2..run {
      let j: i64 = i64(W2_crd[pW2_2])
      let w_val: f64 = W_vals[pW2_2]
      let X2_base: i64 = j * k_dim
      let Y2_base: i64 = (i_shift + iW) * k_dim
      vector for k in 0..k_dim {
        Y_vals[Y2_base + k] += fused(w_val, X_vals[X2_base + k])
      }
    }
    pW1 = run
  }
  set_len(Y_vals, i_part * k_dim)
}
> counts
loads 27, stores 4, branches 37, rounds 12
> out
Y = 15 18 0 0 29 36
