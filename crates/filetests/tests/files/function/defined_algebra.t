# An iteration algebra: where B stores something, the result is the fill value, unless what it stores is 0.
tensor A i64[6] s = (0):3 (1):-2 (3):0 (5):4
tensor B i64[6] s = (1):5 (2):-1 (3):2 (5):0
result y i64 s
expr def only(x, y): {x != 0} & !{y != 0} { if y == 0 { x } else { 0 } }; y(i) = only(A(i), B(i))
> cin
forall i y(i) = only(A(i), B(i))
> lattice i
omit A(i).1 & B(i).1
produce A(i).1
> graph
y(i).1 appended
i over regions of A(i).1, B(i).1, with room for all
  at fill values in A(i).1 & B(i).1
    y(i) = only(A(i), B(i)), appended unless it is the fill value
  in A(i).1
    y(i) = only(A(i), 0), appended
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, A1_pos: in i64[], A1_crd: in i32[], A_vals: in i64[], B1_pos: in i64[], B1_crd: in i32[], B_vals: in i64[], y1_pos: out i64[], y1_crd: out uninit i32[], y_vals: out uninit i64[]) {
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
  let pB1: i64 = B1_pos[0]
  let B1_end: i64 = B1_pos[1]
  let i_stop_2: i64 = B1_end
  if 0 < i_begin {
    let first_3: i64 = pB1
    let last_3: i64 = i_stop_2
    while first_3 < last_3 {
      let middle_3: i64 = shr(first_3 + last_3, 1)
      if i64(B1_crd[middle_3]) < i_begin {
        first_3 = middle_3 + 1
      } else {
        last_3 = middle_3
      }
    }
    pB1 = first_3
  }
  if i_end < i_dim {
    let first_4: i64 = pB1
    let last_4: i64 = i_stop_2
    while first_4 < last_4 {
      let middle_4: i64 = shr(first_4 + last_4, 1)
      if i64(B1_crd[middle_4]) < i_end {
        first_4 = middle_4 + 1
      } else {
        last_4 = middle_4
      }
    }
    i_stop_2 = first_4
  }
  reserve(y1_crd, py1 + (i_stop - pA1 + (i_stop_2 - pB1)))
  reserve(y_vals, py1 + (i_stop - pA1 + (i_stop_2 - pB1)))
  while pA1 < i_stop && pB1 < i_stop_2 {
    let iA: i64 = i64(A1_crd[pA1])
    let iB: i64 = i64(B1_crd[pB1])
    let i: i64 = min(iA, iB)
    let has: bool = iA == i
    let has_2: bool = iB == i
    if has && has_2 {
      let x: i64 = A_vals[pA1]
      let y: i64 = B_vals[pB1]
      let value: i64 = select(y == 0, x, 0)
      if value != 0 {
        y_vals[py1] = value
        y1_crd[py1] = i32(i)
        py1 = py1 + 1
      }
    } else {
      if has {
        let x_2: i64 = A_vals[pA1]
        y_vals[py1] = x_2
        y1_crd[py1] = i32(i)
        py1 = py1 + 1
      }
    }
    pA1 = pA1 + i64(has)
    pB1 = pB1 + i64(has_2)
  }
  for pA1_2 in pA1..i_stop {
    let i_2: i64 = i64(A1_crd[pA1_2])
    let x_3: i64 = A_vals[pA1_2]
    y_vals[py1] = x_3
    y1_crd[py1] = i32(i_2)
    py1 = py1 + 1
  }
  y1_pos[1] = py1
  set_len(y1_pos, 2)
  set_len(y1_crd, py1)
  set_len(y_vals, py1)
}
> counts
loads 21, stores 6, branches 32, rounds 5
> out
y = 3 0 0 0 0 4
