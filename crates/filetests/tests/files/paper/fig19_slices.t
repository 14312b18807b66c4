# Figure 19: rows are located at i * 2 + 1, columns searched from 2 on, up to 6, where they are not passed over.
tensor A f64[5,7] csr = (0,2):9 (1,0):9 (1,2):1 (1,3):9 (1,4):2 (1,6):9 (2,2):9 (3,1):9 (3,4):3 (3,5):9
result B dense
expr B(i,j) = A(i(1:5:2),j(2:6:2))
> cin
forall i forall j B(i,j) = A(i(1:5:2),j(2:6:2))
> graph
i over the dimension
  j over A(i(1:5:2),j(2:6:2)).2
    B(i,j) = A(i(1:5:2),j(2:6:2))
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B_vals: out f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(B_vals, i_part * j_dim)
  for i in i_begin..i_end {
    let B2_base: i64 = (i_shift + i) * j_dim
    let pA2: i64 = A2_pos[i * 2 + 1]
    let A2_end: i64 = A2_pos[i * 2 + 2]
    let A2_stop: i64 = A2_end
    let first: i64 = pA2
    let last: i64 = A2_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(A2_crd[middle]) < 2 {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pA2 = first
    let first_2: i64 = pA2
    let last_2: i64 = A2_stop
    let inv: i64 = 2 + j_dim * 2
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(A2_crd[middle_2]) < inv {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    A2_stop = first_2
    while pA2 < A2_stop && i64(A2_crd[pA2]) - 2 & 1 != 0 {
      pA2 = pA2 + 1
    }
    vector for pA2_2 in pA2..A2_stop {
      let j: i64 = shr(i64(A2_crd[pA2_2]) - 2, 1)
      if i64(A2_crd[pA2_2]) == j * 2 + 2 {
        B_vals[B2_base + j] = A_vals[pA2_2]
      }
    }
  }
  set_len(B_vals, i_part * j_dim)
}
> counts
loads 27, stores 3, branches 41, rounds 16
> out all-backends
B = 1 2 0 3
