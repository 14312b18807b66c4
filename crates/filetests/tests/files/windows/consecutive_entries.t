# Rows and columns of a list are searched.
tensor A f64[5,5] coo = (0,0):1 (2,1):2 (2,3):3 (3,4):4 (4,4):5
tensor x f64[3] dense = (0):1 (1):10 (2):100
expr y(i) = A(i(1:4),j(1:4)) * x(j)
> cin
forall i forall j y(i) += A(i(1:4),j(1:4)) * x(j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A1_pos: in i64[], A1_crd: in i32[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], y_vals: out f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  let A1_stop: i64 = A1_end
  let first: i64 = pA1
  let last: i64 = A1_stop
  while first < last {
    let middle: i64 = shr(first + last, 1)
    if i64(A1_crd[middle]) < 1 {
      first = middle + 1
    } else {
      last = middle
    }
  }
  pA1 = first
  let first_2: i64 = pA1
  let last_2: i64 = A1_stop
  let inv: i64 = 1 + i_dim
  while first_2 < last_2 {
    let middle_2: i64 = shr(first_2 + last_2, 1)
    if i64(A1_crd[middle_2]) < inv {
      first_2 = middle_2 + 1
    } else {
      last_2 = middle_2
    }
  }
  A1_stop = first_2
  let i_stop: i64 = A1_stop
  if 0 < i_begin {
    let first_3: i64 = pA1
    let last_3: i64 = i_stop
    while first_3 < last_3 {
      let middle_3: i64 = shr(first_3 + last_3, 1)
      if i64(A1_crd[middle_3]) - 1 < i_begin {
        first_3 = middle_3 + 1
      } else {
        last_3 = middle_3
      }
    }
    pA1 = first_3
  }
  if i_end < i_dim {
    let first_4: i64 = pA1
    let last_4: i64 = i_stop
    while first_4 < last_4 {
      let middle_4: i64 = shr(first_4 + last_4, 1)
      if i64(A1_crd[middle_4]) - 1 < i_end {
        first_4 = middle_4 + 1
      } else {
        last_4 = middle_4
      }
    }
    i_stop = first_4
  }
  runs for pA1_2 in pA1..i_stop {
    let i: i64 = i64(A1_crd[pA1_2]) - 1
    let j: i64 = i64(A2_crd[pA1_2]) - 1
    if j >= 0 && j < j_dim && i64(A2_crd[pA1_2]) == j + 1 {
      y_vals[i_shift + i] += fused(A_vals[pA1_2], x_vals[j])
    }
  }
  set_len(y_vals, i_part)
}
> counts
loads 21, stores 2, branches 29, rounds 9
> out all-backends
y = 0 302 0
