# Figure 1-4a: element-wise product of COO and dense into dense.
tensor B f64[3,4] coo = (0,0):5 (0,1):1 (2,0):8 (2,3):4
tensor C f64[3,4] dense = 1 2 3 4 5 6 7 8 9 10 11 12
result A f64 dense
expr A(i,j) = B(i,j) * C(i,j)
> cin
forall i forall j A(i,j) = B(i,j) * C(i,j)
> graph
i over B(i,j).1 with what is below
  j once, at B(i,j).2
    A(i,j) = B(i,j) * C(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, B1_pos: in i64[], B1_crd: in i32[], B2_crd: in i32[], B_vals: in f64[], C_vals: in f64[], A_vals: out f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(A_vals, i_part * j_dim)
  let pB1: i64 = B1_pos[0]
  let B1_end: i64 = B1_pos[1]
  let i_stop: i64 = B1_end
  if 0 < i_begin {
    let first: i64 = pB1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(B1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pB1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pB1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(B1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  runs for pB1_2 in pB1..i_stop {
    let i: i64 = i64(B1_crd[pB1_2])
    let C2_base: i64 = i * j_dim
    let A2_base: i64 = (i_shift + i) * j_dim
    let j: i64 = i64(B2_crd[pB1_2])
    A_vals[A2_base + j] = times(B_vals[pB1_2], C_vals[C2_base + j])
  }
  set_len(A_vals, i_part * j_dim)
}
> counts
loads 18, stores 4, branches 9, rounds 5
> out
A = (0,0):5 (0,1):2 (2,0):72 (2,3):48
