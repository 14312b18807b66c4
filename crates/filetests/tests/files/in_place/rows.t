# Rows that store nothing are not touched.
tensor D f64[3,4] dense = 1 2 3 4 5 6 7 8 9 10 11 12
tensor A f64[3,4] dcsr = (0,1):2 (2,0):5
expr D(i,j) += A(i,j)
> in-place D
[over D_old] forall i forall j D(i,j) += A(i,j)
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A1_pos: in i64[], A1_crd: in i32[], A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], D_vals: out given f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(D_vals, i_part * j_dim)
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
  for pA1_2 in pA1..i_stop {
    let i: i64 = i64(A1_crd[pA1_2])
    let D2_base: i64 = (i_shift + i) * j_dim
    let pA2: i64 = A2_pos[pA1_2]
    let A2_end: i64 = A2_pos[pA1_2 + 1]
    vector for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      D_vals[D2_base + j] += A_vals[pA2_2]
    }
  }
  set_len(D_vals, i_part * j_dim)
}
> out
D = 1 4 3 4 5 6 7 8 14 10 11 12
