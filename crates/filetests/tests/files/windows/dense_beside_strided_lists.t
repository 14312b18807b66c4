# Beside a dense operand, a strided list stands at coordinates of its window only.
tensor A f64[7] sv = (0):9 (1):1 (2):9 (3):9 (5):3
tensor b f64[3] dense = (0):10 (1):20 (2):30
expr y(i) = A(i(1:7:2)) + b(i)
> loops
kernel kernel(i_dim: i64, A1_pos: in i64[], A1_crd: in i32[], A_vals: in f64[], b_vals: in f64[], y_vals: out uninit f64[]) {
  reserve(y_vals, i_dim)
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
  let inv: i64 = 1 + i_dim * 2
  while first_2 < last_2 {
    let middle_2: i64 = shr(first_2 + last_2, 1)
    if i64(A1_crd[middle_2]) < inv {
      first_2 = middle_2 + 1
    } else {
      last_2 = middle_2
    }
  }
  A1_stop = first_2
  while pA1 < A1_stop && i64(A1_crd[pA1]) - 1 & 1 != 0 {
    pA1 = pA1 + 1
  }
  for i in 0..i_dim {
    let has: bool = pA1 < A1_stop && shr(i64(A1_crd[pA1]) - 1, 1) == i
    if has {
      y_vals[i] = A_vals[pA1] + b_vals[i]
    } else {
      y_vals[i] = b_vals[i]
    }
    if has {
      pA1 = pA1 + 1
      while pA1 < A1_stop && i64(A1_crd[pA1]) - 1 & 1 != 0 {
        pA1 = pA1 + 1
      }
    }
  }
  set_len(y_vals, i_dim)
}
> counts
loads 20, stores 3, branches 37, rounds 10
> out all-backends
y = 11 29 33
