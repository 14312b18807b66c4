# What lies between elements of a list is taken run by run.
tensor a f64[9] sv = (2):3 (3):-1 (7):5
tensor b f64[9] rle = (0):1 (1):1 (2):1 (6):4 (7):4
tensor y f64[9] dense =
expr y(i) = a(i) + b(i)
> graph
i over runs of b(i).1, between a(i).1
  in a(i).1 & b(i).1
    y(i) = a(i) + b(i)
  in b(i).1
    y(i) = b(i)
> loops
kernel kernel(i_dim: i64, a1_pos: in i64[], a1_crd: in i32[], a_vals: in f64[], b1_pos: in i64[], b1_crd: in i32[], b_vals: in f64[], y_vals: out uninit f64[]) {
  reserve(y_vals, i_dim)
  let pa1: i64 = a1_pos[0]
  let a1_end: i64 = a1_pos[1]
  let pb1: i64 = b1_pos[0]
  let i_at: i64 = 0
  while i_at < i_dim {
    let ia: i64 = i_dim
    if pa1 < a1_end {
      ia = i64(a1_crd[pa1])
    }
    let i: i64 = ia
    if i_at < i {
      while i_at < i {
        let i_end: i64 = min(i, i64(b1_crd[pb1]))
        if i_end - i_at < 8 {
          for i_2 in i_at..i_end {
            y_vals[i_2] = b_vals[pb1]
          }
        } else {
          vector for i_2 in i_at..i_end {
            y_vals[i_2] = b_vals[pb1]
          }
        }
        pb1 = pb1 + i64(i64(b1_crd[pb1]) == i_end)
        i_at = i_end
      }
    }
    if i < i_dim {
      let has: bool = ia == i
      y_vals[i] = a_vals[pa1] + b_vals[pb1]
      pa1 = pa1 + i64(has)
      pb1 = pb1 + i64(i64(b1_crd[pb1]) == i + 1)
    }
    i_at = i + 1
  }
  set_len(y_vals, i_dim)
}
> counts
loads 29, stores 9, branches 38, rounds 14
> out
y = 1 1 4 -1 0 0 4 9 0
