# Of few coordinates among many rows, in single precision: other rows keep what they have, the sign of a zero too.
tensor A f32[20,3] coo = (2,0):1 (2,2):-1 (17,1):4
tensor x f32[3] dense = -2.5 1 1
tensor y f32[20] dense = (0):-0 (2):1 (3):-0 (5):7 (17):0.5
expr y(i) += A(i,j) * x(j)
> in-place y
[over y_old] forall i forall j y(i) += A(i,j) * x(j)
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A1_pos: in i64[], A1_crd: in i32[], A2_crd: in i32[], A_vals: in f32[], x_vals: in f32[], y_vals: out given f32[], y_vals_total: temp kept f64[]) {
  reserve(y_vals_total, i_end - i_begin)
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  let i_stop: i64 = A1_end
  if 0 < i_begin {
    let first: i64 = pA1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(A1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pA1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pA1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(A1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  let few: bool = (i_stop - pA1) * 4 <= i_end - i_begin
  if few {
    for pA1_2_2 in pA1..i_stop {
      let i_2: i64 = i64(A1_crd[pA1_2_2])
      y_vals_total[i_shift + i_2] = f64(y_vals[i_shift + i_2])
    }
  } else {
    for k in 0..i_end - i_begin {
      y_vals_total[k] = f64(y_vals[k])
    }
  }
  runs for pA1_2 in pA1..i_stop {
    let i: i64 = i64(A1_crd[pA1_2])
    let j: i64 = i64(A2_crd[pA1_2])
    y_vals_total[i_shift + i] += f64(fused(A_vals[pA1_2], x_vals[j]))
  }
  if few {
    for pA1_2_3 in pA1..i_stop {
      let i_3: i64 = i64(A1_crd[pA1_2_3])
      y_vals[i_shift + i_3] = f32(y_vals_total[i_shift + i_3])
    }
    for pA1_2_4 in pA1..i_stop {
      let i_4: i64 = i64(A1_crd[pA1_2_4])
      y_vals_total[i_shift + i_4] = 0.0
    }
  } else {
    for k_2 in 0..i_end - i_begin {
      y_vals[k_2] = f32(y_vals_total[k_2])
      y_vals_total[k_2] = 0.0
    }
  }
  set_len(y_vals, i_part)
}
> out
y = (2):-2.5 (5):7 (17):4.5
