# COO whose rows come in order, to CSR: one pass, appended in order.
tensor A f64[4,6] coo = (0,0):5 (0,1):1 (1,1):7 (2,0):8 (3,4):6
result B f64 csr
expr B(i,j) = A(i,j)
> cin
forall i forall j B(i,j) = A(i,j)
> graph
B(i,j).1 located, B(i,j).2 appended
i over A(i,j).1 with what is below, with room for all
  j once, at A(i,j).2, with room for all
    B(i,j) = A(i,j), appended
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A1_pos: in i64[], A1_crd: in i32[], A2_crd: in i32[], A_vals: in f64[], B2_pos: out i64[], B2_crd: out uninit i32[], B_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pB2: i64 = 0
  reserve(B2_pos, i_part + 1)
  B2_pos[0] = 0
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  let i_stop: i64 = A1_end
  if 0 < i_begin {
    let first: i64 = pA1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(A1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pA1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pA1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(A1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  reserve(B2_crd, pB2 + (i_stop - pA1))
  reserve(B_vals, pB2 + (i_stop - pA1))
  runs for pA1_2 in pA1..i_stop {
    let i: i64 = i64(A1_crd[pA1_2])
    let j: i64 = i64(A2_crd[pA1_2])
    B_vals[pB2] = A_vals[pA1_2]
    B2_crd[pB2] = i32(j)
    pB2 = pB2 + 1
    B2_pos[i_shift + i + 1] = pB2
  }
  for q in 0..i_part {
    if B2_pos[q + 1] < B2_pos[q] {
      B2_pos[q + 1] = B2_pos[q]
    }
  }
  set_len(B2_pos, i_part + 1)
  set_len(B2_crd, pB2)
  set_len(B_vals, pB2)
}
> counts
loads 25, stores 16, branches 21, rounds 11
> out
B = (0,0):5 (0,1):1 (1,1):7 (2,0):8 (3,4):6
