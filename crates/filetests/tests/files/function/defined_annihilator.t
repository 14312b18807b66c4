# What is said of a function decides by value, beside infinities and NaN.
tensor A f64[4] s = (0):2 (1):0 (3):1
tensor B f64[4] dense = 3 nan inf 4
result y f64 s
expr def scaled(x, y): annihilator(0, x) { let t = x / y; t * y * y }; y(i) = scaled(A(i), B(i))
> graph
y(i).1 appended
i over A(i).1, with room for all
  y(i) = scaled(A(i), B(i)), appended
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, A1_pos: in i64[], A1_crd: in i32[], A_vals: in f64[], B_vals: in f64[], y1_pos: out i64[], y1_crd: out uninit i32[], y_vals: out uninit f64[]) {
  let py1: i64 = 0
  reserve(y1_pos, 2)
  y1_pos[0] = 0
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
  reserve(y1_crd, py1 + (i_stop - pA1))
  reserve(y_vals, py1 + (i_stop - pA1))
  for pA1_2 in pA1..i_stop {
    let i: i64 = i64(A1_crd[pA1_2])
    let x: f64 = A_vals[pA1_2]
    let y: f64 = B_vals[i]
    let t: f64 = x / y
    y_vals[py1] = select(x == 0.0, 0.0, times(times(t, y), y))
    y1_crd[py1] = i32(i)
    py1 = py1 + 1
  }
  y1_pos[1] = py1
  set_len(y1_pos, 2)
  set_len(y1_crd, py1)
  set_len(y_vals, py1)
}
> counts
loads 11, stores 8, branches 8, rounds 4
> out
y = 6 0 0 4
