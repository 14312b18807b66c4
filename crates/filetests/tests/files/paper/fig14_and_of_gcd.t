# Figure 14: a function inside of another has the same set as (b + c) * d, and the same loops.
tensor b i32[9] s = (0):12 (2):-8 (4):7 (7):0 (8):5
tensor c i32[9] s = (1):6 (2):12 (4):0 (7):9
tensor d i32[9] s = (1):2 (2):3 (5):1 (8):-1
result a i32 dense
expr def euclid(x, y): {x != 0} | {y != 0} { x, 0 => abs(x); 0, y => abs(y); x, y => { let s = abs(x); let t = abs(y); while s != 0 { let r = s; s = t % s; t = r; } t } }; def both(x, y): commutative, annihilator(0) = x & y; a(i) = both(euclid(b(i), c(i)), d(i))
> cin
forall i a(i) = both(euclid(b(i), c(i)), d(i))
> lattice i
produce b(i).1 & c(i).1 & d(i).1
produce b(i).1 & d(i).1
produce c(i).1 & d(i).1
> graph
i over regions of b(i).1, c(i).1, d(i).1
  in b(i).1 & c(i).1 & d(i).1
    a(i) = both(euclid(b(i), c(i)), d(i))
  in b(i).1 & d(i).1
    a(i) = both(euclid(b(i), i32(0)), d(i))
  in c(i).1 & d(i).1
    a(i) = both(euclid(i32(0), c(i)), d(i))
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, b1_pos: in i64[], b1_crd: in i32[], b_vals: in i32[], c1_pos: in i64[], c1_crd: in i32[], c_vals: in i32[], d1_pos: in i64[], d1_crd: in i32[], d_vals: in i32[], a_vals: out i32[]) {
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
  let pd1: i64 = d1_pos[0]
  let d1_end: i64 = d1_pos[1]
  let i_stop_3: i64 = d1_end
  if 0 < i_begin {
    let first_5: i64 = pd1
    let last_5: i64 = i_stop_3
    while first_5 < last_5 {
      let middle_5: i64 = shr(first_5 + last_5, 1)
      if i64(d1_crd[middle_5]) < i_begin {
        first_5 = middle_5 + 1
      } else {
        last_5 = middle_5
      }
    }
    pd1 = first_5
  }
  if i_end < i_dim {
    let first_6: i64 = pd1
    let last_6: i64 = i_stop_3
    while first_6 < last_6 {
      let middle_6: i64 = shr(first_6 + last_6, 1)
      if i64(d1_crd[middle_6]) < i_end {
        first_6 = middle_6 + 1
      } else {
        last_6 = middle_6
      }
    }
    i_stop_3 = first_6
  }
  while pb1 < i_stop && pc1 < i_stop_2 && pd1 < i_stop_3 {
    let ib: i64 = i64(b1_crd[pb1])
    let ic: i64 = i64(c1_crd[pc1])
    let id: i64 = i64(d1_crd[pd1])
    let i: i64 = min(min(ib, ic), id)
    let has: bool = ib == i
    let has_2: bool = ic == i
    let has_3: bool = id == i
    if has && has_2 && has_3 {
      let x: i32 = b_vals[pb1]
      let y: i32 = c_vals[pc1]
      let rounds: i64 = 0
      let value: i32 = i32(0)
      if y == i32(0) {
        value = abs(x)
      } else {
        let value_2: i32 = i32(0)
        if x == i32(0) {
          value_2 = abs(y)
        } else {
          let s: i32 = abs(x)
          let t: i32 = abs(y)
          while s != i32(0) {
            if rounds == 1000000 {
              fail(endless)
            }
            rounds = rounds + 1
            let r: i32 = s
            s = remainder(t, s)
            t = r
          }
          value_2 = t
        }
        value = value_2
      }
      let x_2: i32 = value
      let y_2: i32 = d_vals[pd1]
      a_vals[i_shift + i] = x_2 & y_2
    } else {
      if has && has_3 {
        let x_3: i32 = b_vals[pb1]
        let value_3: i32 = i32(0)
        value_3 = abs(x_3)
        let x_4: i32 = value_3
        let y_3: i32 = d_vals[pd1]
        a_vals[i_shift + i] = x_4 & y_3
      } else {
        if has_2 && has_3 {
          let y_4: i32 = c_vals[pc1]
          let value_5: i32 = i32(0)
          if y_4 == i32(0) {
            value_5 = i32(0)
          } else {
            let value_6: i32 = i32(0)
            value_6 = abs(y_4)
            value_5 = value_6
          }
          let x_5: i32 = value_5
          let y_5: i32 = d_vals[pd1]
          a_vals[i_shift + i] = x_5 & y_5
        }
      }
    }
    pb1 = pb1 + i64(has)
    pc1 = pc1 + i64(has_2)
    pd1 = pd1 + i64(has_3)
  }
  while pb1 < i_stop && pd1 < i_stop_3 {
    let ib_2: i64 = i64(b1_crd[pb1])
    let id_2: i64 = i64(d1_crd[pd1])
    let i_2: i64 = min(ib_2, id_2)
    let has_4: bool = ib_2 == i_2
    let has_5: bool = id_2 == i_2
    if has_4 && has_5 {
      let x_6: i32 = b_vals[pb1]
      let value_7: i32 = i32(0)
      value_7 = abs(x_6)
      let x_7: i32 = value_7
      let y_6: i32 = d_vals[pd1]
      a_vals[i_shift + i_2] = x_7 & y_6
    }
    pb1 = pb1 + i64(has_4)
    pd1 = pd1 + i64(has_5)
  }
  while pc1 < i_stop_2 && pd1 < i_stop_3 {
    let ic_2: i64 = i64(c1_crd[pc1])
    let id_3: i64 = i64(d1_crd[pd1])
    let i_3: i64 = min(ic_2, id_3)
    let has_6: bool = ic_2 == i_3
    let has_7: bool = id_3 == i_3
    if has_6 && has_7 {
      let y_7: i32 = c_vals[pc1]
      let value_9: i32 = i32(0)
      if y_7 == i32(0) {
        value_9 = i32(0)
      } else {
        let value_10: i32 = i32(0)
        value_10 = abs(y_7)
        value_9 = value_10
      }
      let x_8: i32 = value_9
      let y_8: i32 = d_vals[pd1]
      a_vals[i_shift + i_3] = x_8 & y_8
    }
    pc1 = pc1 + i64(has_6)
    pd1 = pd1 + i64(has_7)
  }
  set_len(a_vals, i_part)
}
> counts
loads 33, stores 3, branches 81, rounds 9
> out
a = (1):2 (8):5
