# A list beside a position is searched for it; what the position alone leaves is done once.
tensor x f64[6] sv = (1):10 (4):40
tensor b f64[3] dense = 1 2 3
tensor p i64[3] sv = (0):4 (2):1
expr y(i) = x(p(i)) + b(i)
> graph
i over the dimension, beside p(i).1
  in p(i).1
    where t
      t += p(i)
    then
      c over regions of x(c).1, [c == t], kept to [c == t]
        in x(c).1 & [c == t]
          y(i) = x(c) + b(i)
        in [c == t]
          y(i) = b(i)
  in none
    c over regions of x(c).1, [c == t], kept to [c == t]
      in x(c).1 & [c == t]
        y(i) = x(c) + b(i)
      in [c == t]
        y(i) = b(i)
> loops
kernel kernel(i_dim: i64, c_dim: i64, i_begin: i64, i_end: i64, p1_pos: in i64[], p1_crd: in i32[], p_vals: in i64[], x1_pos: in i64[], x1_crd: in i32[], x_vals: in f64[], b_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  let pp1: i64 = p1_pos[0]
  let p1_end: i64 = p1_pos[1]
  let i_stop: i64 = p1_end
  if 0 < i_begin {
    let first: i64 = pp1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(p1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pp1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pp1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(p1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  for i in i_begin..i_end {
    let has: bool = pp1 < i_stop && i64(p1_crd[pp1]) == i
    if has {
      let p_val: i64 = p_vals[pp1]
      let b_val: f64 = b_vals[i]
      let t: i64 = 0
      t = t + p_val
      let px1: i64 = x1_pos[0]
      let x1_end: i64 = x1_pos[1]
      let c_from: i64 = max(min(t, c_dim - 1), 0)
      let c_to: i64 = min(max(min(t, c_dim - 1), 0) + 1, c_dim)
      let first_3: i64 = px1
      let last_3: i64 = x1_end
      while first_3 < last_3 {
        let middle_3: i64 = shr(first_3 + last_3, 1)
        if i64(x1_crd[middle_3]) < c_from {
          first_3 = middle_3 + 1
        } else {
          last_3 = middle_3
        }
      }
      px1 = first_3
      let c_stop: i64 = px1
      if px1 < x1_end && i64(x1_crd[px1]) < c_to {
        c_stop = px1 + 1
      }
      let pc_set1: i64 = max(min(t, c_dim - 1), 0)
      let c_set1_end: i64 = min(max(min(t, c_dim - 1), 0) + 1, c_dim)
      let inv: i64 = i_shift + i
      while px1 < c_stop && pc_set1 < c_set1_end {
        let cx: i64 = i64(x1_crd[px1])
        let cc_set: i64 = pc_set1
        let c: i64 = min(cx, cc_set)
        let has_2: bool = cx == c
        let has_3: bool = cc_set == c
        if has_2 && has_3 {
          y_vals[inv] = x_vals[px1] + b_val
        } else {
          if has_3 {
            y_vals[inv] = b_val
          }
        }
        px1 = px1 + i64(has_2)
        pc_set1 = pc_set1 + i64(has_3)
      }
      if pc_set1 < c_set1_end {
        y_vals[i_shift + i] = b_val
      }
    } else {
      let b_val_2: f64 = b_vals[i]
      let px1_2: i64 = x1_pos[0]
      let x1_end_2: i64 = x1_pos[1]
      let c_from_2: i64 = max(min(0, c_dim - 1), 0)
      let c_to_2: i64 = min(max(min(0, c_dim - 1), 0) + 1, c_dim)
      let first_4: i64 = px1_2
      let last_4: i64 = x1_end_2
      while first_4 < last_4 {
        let middle_4: i64 = shr(first_4 + last_4, 1)
        if i64(x1_crd[middle_4]) < c_from_2 {
          first_4 = middle_4 + 1
        } else {
          last_4 = middle_4
        }
      }
      px1_2 = first_4
      let c_stop_2: i64 = px1_2
      if px1_2 < x1_end_2 && i64(x1_crd[px1_2]) < c_to_2 {
        c_stop_2 = px1_2 + 1
      }
      let pc_set1_3: i64 = max(min(0, c_dim - 1), 0)
      let c_set1_end_2: i64 = min(max(min(0, c_dim - 1), 0) + 1, c_dim)
      let inv_2: i64 = i_shift + i
      while px1_2 < c_stop_2 && pc_set1_3 < c_set1_end_2 {
        let cx_2: i64 = i64(x1_crd[px1_2])
        let cc_set_2: i64 = pc_set1_3
        let c_3: i64 = min(cx_2, cc_set_2)
        let has_4: bool = cx_2 == c_3
        let has_5: bool = cc_set_2 == c_3
        if has_4 && has_5 {
          y_vals[inv_2] = x_vals[px1_2] + b_val_2
        } else {
          if has_5 {
            y_vals[inv_2] = b_val_2
          }
        }
        px1_2 = px1_2 + i64(has_4)
        pc_set1_3 = pc_set1_3 + i64(has_5)
      }
      if pc_set1_3 < c_set1_end_2 {
        y_vals[i_shift + i] = b_val_2
      }
    }
    pp1 = pp1 + i64(has)
  }
  set_len(y_vals, i_part)
}
> counts
loads 29, stores 3, branches 52, rounds 12
> out all-backends
y = 41 2 13
