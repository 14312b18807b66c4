# A loop in a function, written out where it is called.
tensor A f64[4] s = (0):12 (2):0.5 (3):-3
result y f64 s
expr def halved(x) { let t = x; while t > 1 { t = t / 2; } t }; y(i) = halved(A(i))
> cin
forall i y(i) = halved(A(i))
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, A1_pos: in i64[], A1_crd: in i32[], A_vals: in f64[], y1_pos: out i64[], y1_crd: out uninit i32[], y_vals: out uninit f64[]) {
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
    let rounds: i64 = 0
    let t: f64 = x
    while t > 1.0 {
      if rounds == 1000000 {
        fail(endless)
      }
      rounds = rounds + 1
      t = t / 2.0
    }
    y_vals[py1] = t
    y1_crd[py1] = i32(i)
    py1 = py1 + 1
  }
  y1_pos[1] = py1
  set_len(y1_pos, 2)
  set_len(y1_crd, py1)
  set_len(y_vals, py1)
}
> counts
loads 8, stores 8, branches 19, rounds 8
> out
y = 0.75 0 0.5 -3
