# Between two elements of a list nothing has to be asked: a loop that vectors can take.
tensor a f64[9] sv = (2):3 (3):-1 (7):5
tensor x f64[9] dense = 1 1 1 1 -2 1 1 1 1
expr y(i) = max(a(i), x(i))
> graph
i over the dimension, between a(i).1
  in a(i).1
    y(i) = max(a(i), x(i))
  in none
    y(i) = max(0.0, x(i))
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, a1_pos: in i64[], a1_crd: in i32[], a_vals: in f64[], x_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  let pa1: i64 = a1_pos[0]
  let a1_end: i64 = a1_pos[1]
  let i_stop: i64 = a1_end
  if 0 < i_begin {
    let first: i64 = pa1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(a1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pa1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pa1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(a1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  let i_at: i64 = i_begin
  while i_at < i_end {
    let ia: i64 = i_end
    if pa1 < i_stop {
      ia = i64(a1_crd[pa1])
    }
    let i: i64 = ia
    if i_at < i {
      if i - i_at < 8 {
        for i_2 in i_at..i {
          y_vals[i_shift + i_2] = max(0.0, x_vals[i_2])
        }
      } else {
        vector for i_2 in i_at..i {
          y_vals[i_shift + i_2] = max(0.0, x_vals[i_2])
        }
      }
    }
    if i < i_end {
      let has: bool = ia == i
      y_vals[i_shift + i] = max(a_vals[pa1], x_vals[i])
      pa1 = pa1 + i64(has)
    }
    i_at = i + 1
  }
  set_len(y_vals, i_part)
}
> counts
loads 17, stores 9, branches 31, rounds 10
> out
y = 1 1 3 1 0 1 1 5 1
