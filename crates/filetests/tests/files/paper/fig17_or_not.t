# Figure 17: a | !b, the union rule: everything but what b alone stores.
tensor b i32[9] s = (0):12 (2):-8 (4):7 (7):0 (8):5
tensor c i32[9] s = (1):6 (2):12 (4):0 (7):9
result a i32 dense
expr def unless(x, y): {x != 0} | !{y != 0} { 0, 0 => 1; x, 0 => 2; 0, y => 0; x, y => 3 }; a(i) = unless(b(i), c(i))
> cin
forall i a(i) = unless(b(i), c(i))
> lattice i
produce b(i).1 & c(i).1 & dimension
produce b(i).1 & dimension
omit c(i).1 & dimension
produce dimension
> graph
i over the dimension, between b(i).1 and c(i).1
  in b(i).1 & c(i).1
    a(i) = unless(b(i), c(i))
  in b(i).1
    a(i) = unless(b(i), i32(0))
  at fill values in c(i).1
    a(i) = unless(i32(0), c(i))
  in none
    a(i) = i32(1)
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, b1_pos: in i64[], b1_crd: in i32[], b_vals: in i32[], c1_pos: in i64[], c1_crd: in i32[], c_vals: in i32[], a_vals: out uninit i32[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(a_vals, i_part)
  let pb1: i64 = b1_pos[0]
  let b1_end: i64 = b1_pos[1]
  let i_stop: i64 = b1_end
  if 0 < i_begin {
    let first: i64 = pb1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(b1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pb1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pb1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(b1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  let pc1: i64 = c1_pos[0]
  let c1_end: i64 = c1_pos[1]
  let i_stop_2: i64 = c1_end
  if 0 < i_begin {
    let first_3: i64 = pc1
    let last_3: i64 = i_stop_2
    while first_3 < last_3 {
      let middle_3: i64 = shr(first_3 + last_3, 1)
      if i64(c1_crd[middle_3]) < i_begin {
        first_3 = middle_3 + 1
      } else {
        last_3 = middle_3
      }
    }
    pc1 = first_3
  }
  if i_end < i_dim {
    let first_4: i64 = pc1
    let last_4: i64 = i_stop_2
    while first_4 < last_4 {
      let middle_4: i64 = shr(first_4 + last_4, 1)
      if i64(c1_crd[middle_4]) < i_end {
        first_4 = middle_4 + 1
      } else {
        last_4 = middle_4
      }
    }
    i_stop_2 = first_4
  }
  let i_at: i64 = i_begin
  while i_at < i_end {
    let ib: i64 = i_end
    if pb1 < i_stop {
      ib = i64(b1_crd[pb1])
    }
    let ic: i64 = i_end
    if pc1 < i_stop_2 {
      ic = i64(c1_crd[pc1])
    }
    let i: i64 = min(ib, ic)
    if i_at < i {
      if i - i_at < 8 {
        for i_2 in i_at..i {
          a_vals[i_shift + i_2] = i32(1)
        }
      } else {
        vector for i_2 in i_at..i {
          a_vals[i_shift + i_2] = i32(1)
        }
      }
    }
    if i < i_end {
      let has: bool = ib == i
      let has_2: bool = ic == i
      if has && has_2 {
        let x: i32 = b_vals[pb1]
        let y: i32 = c_vals[pc1]
        a_vals[i_shift + i] = select((x == i32(0)) & (y == i32(0)), i32(1), select(y == i32(0), i32(2), select(x == i32(0), i32(0), i32(3))))
      } else {
        if has {
          let x_2: i32 = b_vals[pb1]
          a_vals[i_shift + i] = select(x_2 == i32(0), i32(1), i32(2))
        } else {
          if has_2 {
            let y_2: i32 = c_vals[pc1]
            a_vals[i_shift + i] = select(y_2 == i32(0), i32(1), select(y_2 == i32(0), i32(2), i32(0)))
          }
        }
      }
      pb1 = pb1 + i64(has)
      pc1 = pc1 + i64(has_2)
    }
    i_at = i + 1
  }
  set_len(a_vals, i_part)
}
> counts
loads 26, stores 9, branches 58, rounds 9
> out
a = 2 0 3 1 2 1 1 0 2
