# Figure 18: a tensor on both sides of an intersection. No region has it on one side alone.
tensor b i32[9] s = (0):12 (2):-8 (4):7 (7):0 (8):5
tensor c i32[9] s = (1):6 (2):12 (4):0 (7):9
result a i32 dense
expr a(i) = (b(i) + c(i)) * c(i)
> cin
forall i a(i) = (b(i) + c(i)) * c(i)
> lattice i
produce b(i).1 & c(i).1
produce c(i).1
> graph
i over regions of b(i).1, c(i).1
  in b(i).1 & c(i).1
    a(i) = (b(i) + c(i)) * c(i)
  in c(i).1
    a(i) = c(i) * c(i)
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, b1_pos: in i64[], b1_crd: in i32[], b_vals: in i32[], c1_pos: in i64[], c1_crd: in i32[], c_vals: in i32[], a_vals: out i32[]) {
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
  while pb1 < i_stop && pc1 < i_stop_2 {
    let ib: i64 = i64(b1_crd[pb1])
    let ic: i64 = i64(c1_crd[pc1])
    let i: i64 = min(ib, ic)
    let has: bool = ib == i
    let has_2: bool = ic == i
    if has && has_2 {
      a_vals[i_shift + i] = (b_vals[pb1] + c_vals[pc1]) * c_vals[pc1]
    } else {
      if has_2 {
        a_vals[i_shift + i] = c_vals[pc1] * c_vals[pc1]
      }
    }
    pb1 = pb1 + i64(has)
    pc1 = pc1 + i64(has_2)
  }
  vector for pc1_2 in pc1..i_stop_2 {
    let i_2: i64 = i64(c1_crd[pc1_2])
    a_vals[i_shift + i_2] = c_vals[pc1_2] * c_vals[pc1_2]
  }
  set_len(a_vals, i_part)
}
> counts
loads 25, stores 4, branches 29, rounds 5
> out
a = (1):36 (2):48 (7):81
