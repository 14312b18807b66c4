# Figure 16: a & !b, the intersection rule. Where b stores something, only its explicit fill values lead to a value.
tensor b i32[9] s = (0):12 (2):-8 (4):7 (7):0 (8):5
tensor c i32[9] s = (1):6 (2):12 (4):0 (7):9
result a i32 s
expr def only(x, y): {x != 0} & !{y != 0} { x, 0 => x; _, _ => 0 }; a(i) = only(b(i), c(i))
> cin
forall i a(i) = only(b(i), c(i))
> lattice i
omit b(i).1 & c(i).1
produce b(i).1
> graph
a(i).1 appended
i over regions of b(i).1, c(i).1, with room for all
  at fill values in b(i).1 & c(i).1
    a(i) = only(b(i), c(i)), appended unless it is the fill value
  in b(i).1
    a(i) = only(b(i), i32(0)), appended
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, b1_pos: in i64[], b1_crd: in i32[], b_vals: in i32[], c1_pos: in i64[], c1_crd: in i32[], c_vals: in i32[], a1_pos: out i64[], a1_crd: out uninit i32[], a_vals: out uninit i32[]) {
  let pa1: i64 = 0
  reserve(a1_pos, 2)
  a1_pos[0] = 0
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
  reserve(a1_crd, pa1 + (i_stop - pb1 + (i_stop_2 - pc1)))
  reserve(a_vals, pa1 + (i_stop - pb1 + (i_stop_2 - pc1)))
  while pb1 < i_stop && pc1 < i_stop_2 {
    let ib: i64 = i64(b1_crd[pb1])
    let ic: i64 = i64(c1_crd[pc1])
    let i: i64 = min(ib, ic)
    let has: bool = ib == i
    let has_2: bool = ic == i
    if has && has_2 {
      let x: i32 = b_vals[pb1]
      let y: i32 = c_vals[pc1]
      let value: i32 = select(y == i32(0), x, i32(0))
      if value != i32(0) {
        a_vals[pa1] = value
        a1_crd[pa1] = i32(i)
        pa1 = pa1 + 1
      }
    } else {
      if has {
        let x_2: i32 = b_vals[pb1]
        a_vals[pa1] = x_2
        a1_crd[pa1] = i32(i)
        pa1 = pa1 + 1
      }
    }
    pb1 = pb1 + i64(has)
    pc1 = pc1 + i64(has_2)
  }
  for pb1_2 in pb1..i_stop {
    let i_2: i64 = i64(b1_crd[pb1_2])
    let x_3: i32 = b_vals[pb1_2]
    a_vals[pa1] = x_3
    a1_crd[pa1] = i32(i_2)
    pa1 = pa1 + 1
  }
  a1_pos[1] = pa1
  set_len(a1_pos, 2)
  set_len(a1_crd, pa1)
  set_len(a_vals, pa1)
}
> counts
loads 23, stores 8, branches 35, rounds 7
> out
a = (0):12 (4):7 (8):5
