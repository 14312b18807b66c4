# Figure 15: (a | b) & !(a & b), with an omitter where both store something: there, only explicit fill values lead to a value.
tensor a bool[9] s = (0):true (2):true (4):true (7):false (8):true
tensor b bool[9] s = (1):true (2):true (4):false (7):true
result c bool s
expr c(i) = a(i) ^ b(i)
> cin
forall i c(i) = a(i) ^ b(i)
> lattice i
omit a(i).1 & b(i).1
produce a(i).1
produce b(i).1
> graph
c(i).1 appended
i over regions of a(i).1, b(i).1, with room for all
  at fill values in a(i).1 & b(i).1
    c(i) = a(i) ^ b(i), appended unless it is the fill value
  in a(i).1
    c(i) = a(i), appended unless it settles at the fill value
  in b(i).1
    c(i) = b(i), appended unless it settles at the fill value
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, a1_pos: in i64[], a1_crd: in i32[], a_vals: in bool[], b1_pos: in i64[], b1_crd: in i32[], b_vals: in bool[], c1_pos: out i64[], c1_crd: out uninit i32[], c_vals: out uninit bool[]) {
  let pc1: i64 = 0
  reserve(c1_pos, 2)
  c1_pos[0] = 0
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
  let pb1: i64 = b1_pos[0]
  let b1_end: i64 = b1_pos[1]
  let i_stop_2: i64 = b1_end
  if 0 < i_begin {
    let first_3: i64 = pb1
    let last_3: i64 = i_stop_2
    while first_3 < last_3 {
      let middle_3: i64 = shr(first_3 + last_3, 1)
      if i64(b1_crd[middle_3]) < i_begin {
        first_3 = middle_3 + 1
      } else {
        last_3 = middle_3
      }
    }
    pb1 = first_3
  }
  if i_end < i_dim {
    let first_4: i64 = pb1
    let last_4: i64 = i_stop_2
    while first_4 < last_4 {
      let middle_4: i64 = shr(first_4 + last_4, 1)
      if i64(b1_crd[middle_4]) < i_end {
        first_4 = middle_4 + 1
      } else {
        last_4 = middle_4
      }
    }
    i_stop_2 = first_4
  }
  reserve(c1_crd, pc1 + (i_stop - pa1 + (i_stop_2 - pb1)))
  reserve(c_vals, pc1 + (i_stop - pa1 + (i_stop_2 - pb1)))
  while pa1 < i_stop && pb1 < i_stop_2 {
    let ia: i64 = i64(a1_crd[pa1])
    let ib: i64 = i64(b1_crd[pb1])
    let i: i64 = min(ia, ib)
    if ia == ib {
      let value: bool = a_vals[pa1] ^ b_vals[pb1]
      if value != false {
        c_vals[pc1] = value
        c1_crd[pc1] = i32(i)
        pc1 = pc1 + 1
      }
      pa1 = pa1 + 1
      pb1 = pb1 + 1
    } else {
      if ia < ib {
        let value_2: bool = a_vals[pa1]
        if value_2 != false {
          c_vals[pc1] = value_2
          c1_crd[pc1] = i32(i)
          pc1 = pc1 + 1
        }
        pa1 = pa1 + 1
      } else {
        let value_3: bool = b_vals[pb1]
        if value_3 != false {
          c_vals[pc1] = value_3
          c1_crd[pc1] = i32(i)
          pc1 = pc1 + 1
        }
        pb1 = pb1 + 1
      }
    }
  }
  for pa1_2 in pa1..i_stop {
    let i_2: i64 = i64(a1_crd[pa1_2])
    let value_4: bool = a_vals[pa1_2]
    if value_4 != false {
      c_vals[pc1] = value_4
      c1_crd[pc1] = i32(i_2)
      pc1 = pc1 + 1
    }
  }
  for pb1_2 in pb1..i_stop_2 {
    let i_3: i64 = i64(b1_crd[pb1_2])
    let value_5: bool = b_vals[pb1_2]
    if value_5 != false {
      c_vals[pc1] = value_5
      c1_crd[pc1] = i32(i_3)
      pc1 = pc1 + 1
    }
  }
  c1_pos[1] = pc1
  set_len(c1_pos, 2)
  set_len(c1_crd, pc1)
  set_len(c_vals, pc1)
}
> counts
loads 24, stores 12, branches 34, rounds 7
> out
c = true true false false true false false true true
