# Figure 8, b: the components with even coordinates of two vectors.
tensor b f64[9] sv = (0):1 (1):9 (4):2 (7):9 (8):9
tensor c f64[9] sv = (2):3 (4):4 (5):9
expr a(i) = b(i(0:8:2)) + c(i(0:8:2))
> cin
forall i a(i) = b(i(0:8:2)) + c(i(0:8:2))
> graph
a(i).1 appended
i over regions of b(i(0:8:2)).1, c(i(0:8:2)).1, with room for all
  in b(i(0:8:2)).1 & c(i(0:8:2)).1
    a(i) = b(i(0:8:2)) + c(i(0:8:2)), appended
  in b(i(0:8:2)).1
    a(i) = b(i(0:8:2)), appended
  in c(i(0:8:2)).1
    a(i) = c(i(0:8:2)), appended
> loops
kernel kernel(i_dim: i64, b1_pos: in i64[], b1_crd: in i32[], b_vals: in f64[], c1_pos: in i64[], c1_crd: in i32[], c_vals: in f64[], a1_pos: out i64[], a1_crd: out uninit i32[], a_vals: out uninit f64[]) {
  let pa1: i64 = 0
  reserve(a1_pos, 2)
  a1_pos[0] = 0
  let pb1: i64 = b1_pos[0]
  let b1_end: i64 = b1_pos[1]
  let b1_stop: i64 = b1_end
  let first: i64 = pb1
  let last: i64 = b1_stop
  let inv: i64 = i_dim * 2
  while first < last {
    let middle: i64 = shr(first + last, 1)
    if i64(b1_crd[middle]) < inv {
      first = middle + 1
    } else {
      last = middle
    }
  }
  b1_stop = first
  while pb1 < b1_stop && i64(b1_crd[pb1]) & 1 != 0 {
    pb1 = pb1 + 1
  }
  let pc1: i64 = c1_pos[0]
  let c1_end: i64 = c1_pos[1]
  let c1_stop: i64 = c1_end
  let first_2: i64 = pc1
  let last_2: i64 = c1_stop
  let inv_2: i64 = i_dim * 2
  while first_2 < last_2 {
    let middle_2: i64 = shr(first_2 + last_2, 1)
    if i64(c1_crd[middle_2]) < inv_2 {
      first_2 = middle_2 + 1
    } else {
      last_2 = middle_2
    }
  }
  c1_stop = first_2
  while pc1 < c1_stop && i64(c1_crd[pc1]) & 1 != 0 {
    pc1 = pc1 + 1
  }
  reserve(a1_crd, pa1 + (b1_stop - pb1 + (c1_stop - pc1)))
  reserve(a_vals, pa1 + (b1_stop - pb1 + (c1_stop - pc1)))
  while pb1 < b1_stop && pc1 < c1_stop {
    let ib: i64 = shr(i64(b1_crd[pb1]), 1)
    let ic: i64 = shr(i64(c1_crd[pc1]), 1)
    let i: i64 = min(ib, ic)
    let has: bool = ib == i
    let has_2: bool = ic == i
    if has && has_2 {
      a_vals[pa1] = b_vals[pb1] + c_vals[pc1]
      a1_crd[pa1] = i32(i)
      pa1 = pa1 + 1
    } else {
      if has {
        a_vals[pa1] = b_vals[pb1]
        a1_crd[pa1] = i32(i)
        pa1 = pa1 + 1
      } else {
        a_vals[pa1] = c_vals[pc1]
        a1_crd[pa1] = i32(i)
        pa1 = pa1 + 1
      }
    }
    if has {
      pb1 = pb1 + 1
      while pb1 < b1_stop && i64(b1_crd[pb1]) & 1 != 0 {
        pb1 = pb1 + 1
      }
    }
    if has_2 {
      pc1 = pc1 + 1
      while pc1 < c1_stop && i64(c1_crd[pc1]) & 1 != 0 {
        pc1 = pc1 + 1
      }
    }
  }
  for pb1_2 in pb1..b1_stop {
    let i_2: i64 = shr(i64(b1_crd[pb1_2]), 1)
    if i64(b1_crd[pb1_2]) == i_2 * 2 {
      a_vals[pa1] = b_vals[pb1_2]
      a1_crd[pa1] = i32(i_2)
      pa1 = pa1 + 1
    }
  }
  for pc1_2 in pc1..c1_stop {
    let i_3: i64 = shr(i64(c1_crd[pc1_2]), 1)
    if i64(c1_crd[pc1_2]) == i_3 * 2 {
      a_vals[pa1] = c_vals[pc1_2]
      a1_crd[pa1] = i32(i_3)
      pa1 = pa1 + 1
    }
  }
  a1_pos[1] = pa1
  set_len(a1_pos, 2)
  set_len(a1_crd, pa1)
  set_len(a_vals, pa1)
}
> counts
loads 26, stores 8, branches 54, rounds 11
> out all-backends
a = 1 3 6 0
