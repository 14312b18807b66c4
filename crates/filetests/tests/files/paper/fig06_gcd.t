# Figures 4 to 6 of the array-programming paper: a function by its cases, its loop and its algebra, over two sparse vectors.
# As there, one loop with three cases and two loops for what is left of either vector; coordinates of the rest are those of the
# vector at hand, and the cases without a loop call nothing.
tensor b i32[9] s = (0):12 (2):-8 (4):7 (7):0 (8):5
tensor c i32[9] s = (1):6 (2):12 (4):0 (7):9
result a i32 dense
expr def euclid(x, y): {x != 0} | {y != 0} { x, 0 => abs(x); 0, y => abs(y); x, y => { let s = abs(x); let t = abs(y); while s != 0 { let r = s; s = t % s; t = r; } t } }; a(i) = euclid(b(i), c(i))
> cin
forall i a(i) = euclid(b(i), c(i))
> lattice i
produce b(i).1 & c(i).1
produce b(i).1
produce c(i).1
> graph
i over regions of b(i).1, c(i).1
  in b(i).1 & c(i).1
    a(i) = euclid(b(i), c(i))
  in b(i).1
    a(i) = euclid(b(i), i32(0))
  in c(i).1
    a(i) = euclid(i32(0), c(i))
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
    if ib == ic {
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
      a_vals[i_shift + i] = value
      pb1 = pb1 + 1
      pc1 = pc1 + 1
    } else {
      if ib < ic {
        let x_2: i32 = b_vals[pb1]
        let value_3: i32 = i32(0)
        value_3 = abs(x_2)
        a_vals[i_shift + i] = value_3
        pb1 = pb1 + 1
      } else {
        let y_2: i32 = c_vals[pc1]
        let value_5: i32 = i32(0)
        if y_2 == i32(0) {
          value_5 = i32(0)
        } else {
          let value_6: i32 = i32(0)
          value_6 = abs(y_2)
          value_5 = value_6
        }
        a_vals[i_shift + i] = value_5
        pc1 = pc1 + 1
      }
    }
  }
  vector for pb1_2 in pb1..i_stop {
    let i_2: i64 = i64(b1_crd[pb1_2])
    let x_3: i32 = b_vals[pb1_2]
    let value_7: i32 = i32(0)
    value_7 = abs(x_3)
    a_vals[i_shift + i_2] = value_7
  }
  vector for pc1_2 in pc1..i_stop_2 {
    let i_3: i64 = i64(c1_crd[pc1_2])
    let y_3: i32 = c_vals[pc1_2]
    let value_9: i32 = i32(0)
    if y_3 == i32(0) {
      value_9 = i32(0)
    } else {
      let value_10: i32 = i32(0)
      value_10 = abs(y_3)
      value_9 = value_10
    }
    a_vals[i_shift + i_3] = value_9
  }
  set_len(a_vals, i_part)
}
> counts
loads 24, stores 6, branches 39, rounds 9
> out
a = 12 6 4 0 7 0 0 9 5
