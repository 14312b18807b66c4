# What the kernel computes one by one in a merge is computed one by one in place as well, where the loop visits nothing else and
# could take vectors.
tensor y f64[16] dense = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
tensor x f64[16] sv = (0):-1.572 (1):0.265 (2):-0.78 (4):0.624 (5):0.754 (7):-2.6 (8):-2.92 (9):2.025 (10):-1.45 (11):-1.6 (13):0.35
expr y(i) += tanh(x(i))
> in-place y
[over y_old] forall i y(i) += tanh(x(i))
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, x1_pos: in i64[], x1_crd: in i32[], x_vals: in f64[], y_vals: out given f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  let px1: i64 = x1_pos[0]
  let x1_end: i64 = x1_pos[1]
  let i_stop: i64 = x1_end
  if 0 < i_begin {
    let first: i64 = px1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(x1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    px1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = px1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(x1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  vector for px1_2 in px1..i_stop {
    let i: i64 = i64(x1_crd[px1_2])
    y_vals[i_shift + i] += tanh(x_vals[px1_2])
  }
  set_len(y_vals, i_part)
}
> out all-backends
y = -0.9173433060857648 0.2589662239347898 -0.65270670596199 0 0.5539069192039144 0.6375292355880571 0 -0.9890274022010992 -0.9941991883964316 0.9657519333685445 -0.8956928738431645 -0.9216685544064713 0 0.3363755443363322 0 0
