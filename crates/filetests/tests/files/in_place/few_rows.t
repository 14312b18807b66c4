# Of few rows of a matrix the sums are added to what is there: no other row is visited.
tensor A f64[6,4] dcsr = (1,0):1 (1,3):-1 (4,2):3
tensor x f64[4] dense = 2 1 0.5 3
tensor y f64[6] dense = 5 1 4 inf 2 0
expr y(i) += A(i,j) * x(j)
> cin
{forall i y(i) = y_old(i); forall i (y(i) += t) where (forall j t += A(i,j) * x(j))}
> in-place y
[over y_old] forall i (y(i) += t) where (forall j t += A(i,j) * x(j))
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A1_pos: in i64[], A1_crd: in i32[], A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], y_vals: out given f64[]) {
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
  for pA1_2 in pA1..i_stop {
    let i: i64 = i64(A1_crd[pA1_2])
    let t: f64 = 0.0
    let pA2: i64 = A2_pos[pA1_2]
    let A2_end: i64 = A2_pos[pA1_2 + 1]
    vector for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      t = t + fused(A_vals[pA2_2], x_vals[j])
    }
    y_vals[i_shift + i] += t
  }
  set_len(y_vals, i_part)
}
> out
y = 5 0 4 inf 3.5 0
