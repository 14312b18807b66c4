# A minimum with what a sparse vector stores visits nothing else.
tensor d f64[6] dense = 5 1 4 inf 2 0
tensor t f64[6] "sv ; fill = inf" = (1):3 (3):7
expr d(i) min= t(i)
> variants
in place    in the memory of `d`, whose values become the result's, if `d` is given away and t(i) is above -inf
kernel      the kernel, unless NaN is in the result (tried first in every run)
deciding    the kernel in which annihilators decide element by element (where the result of 2 is rejected)
> in-place d
[over d_old] forall i d(i) min= t(i)
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, t1_pos: in i64[], t1_crd: in i32[], t_vals: in f64[], d_vals: out given f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(d_vals, i_part)
  let pt1: i64 = t1_pos[0]
  let t1_end: i64 = t1_pos[1]
  let i_stop: i64 = t1_end
  if 0 < i_begin {
    let first: i64 = pt1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(t1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pt1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pt1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(t1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  vector for pt1_2 in pt1..i_stop {
    let i: i64 = i64(t1_crd[pt1_2])
    d_vals[i_shift + i] min= t_vals[pt1_2]
  }
  set_len(d_vals, i_part)
}
> out
d = 5 1 4 7 2 0
