# Whoever is behind gallops to where the other list is.
tensor a f64[20] s = (3):2 (17):1
tensor b f64[20] s = (0):1 (1):2 (2):3 (3):4 (5):5 (6):6 (7):7 (8):8 (9):9 (10):10 (11):11 (12):12 (13):13 (14):14 (16):15 (17):16 (19):17
result y f64 s
schedule gallop(i)
expr y(i) = a(i) * b(i)
> cin
forall[gallop] i y(i) = a(i) * b(i)
> graph
y(i).1 appended
i galloping over a(i).1 and b(i).1, with room for all
  y(i) = a(i) * b(i), appended
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, a1_pos: in i64[], a1_crd: in i32[], a_vals: in f64[], b1_pos: in i64[], b1_crd: in i32[], b_vals: in f64[], y1_pos: out i64[], y1_crd: out uninit i32[], y_vals: out uninit f64[]) {
  let py1: i64 = 0
  reserve(y1_pos, 2)
  y1_pos[0] = 0
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
  reserve(y1_crd, py1 + (i_stop - pa1 + (i_stop_2 - pb1)))
  reserve(y_vals, py1 + (i_stop - pa1 + (i_stop_2 - pb1)))
  while pa1 < i_stop && pb1 < i_stop_2 {
    let ia: i64 = i64(a1_crd[pa1])
    let ib: i64 = i64(b1_crd[pb1])
    let i: i64 = max(ia, ib)
    if ia == i && ib == i {
      y_vals[py1] = a_vals[pa1] * b_vals[pb1]
      y1_crd[py1] = i32(i)
      py1 = py1 + 1
      pa1 = pa1 + 1
      pb1 = pb1 + 1
    } else {
      if ia < i {
        let first_5: i64 = pa1
        let hop: i64 = 1
        while first_5 + hop < i_stop && i64(a1_crd[first_5 + hop]) < i {
          first_5 = first_5 + hop
          hop = hop * 2
        }
        let last_5: i64 = min(first_5 + hop, i_stop)
        while first_5 + 1 < last_5 {
          let middle_5: i64 = shr(first_5 + last_5, 1)
          if i64(a1_crd[middle_5]) < i {
            first_5 = middle_5
          } else {
            last_5 = middle_5
          }
        }
        pa1 = last_5
      }
      if ib < i {
        let first_6: i64 = pb1
        let hop_2: i64 = 1
        while first_6 + hop_2 < i_stop_2 && i64(b1_crd[first_6 + hop_2]) < i {
          first_6 = first_6 + hop_2
          hop_2 = hop_2 * 2
        }
        let last_6: i64 = min(first_6 + hop_2, i_stop_2)
        while first_6 + 1 < last_6 {
          let middle_6: i64 = shr(first_6 + last_6, 1)
          if i64(b1_crd[middle_6]) < i {
            first_6 = middle_6
          } else {
            last_6 = middle_6
          }
        }
        pb1 = last_6
      }
    }
  }
  y1_pos[1] = py1
  set_len(y1_pos, 2)
  set_len(y1_crd, py1)
  set_len(y_vals, py1)
}
> counts
loads 24, stores 6, branches 46, rounds 11
> out
y = (3):8 (17):16
