# The ends of an interval are elements of operands.
tensor A f64[4,4] csr = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
tensor l i32[4] dense = (0):1 (3):1
tensor h i64[4] dense = (0):9 (1):1 (2):4 (3):3
expr y(i) = sum(j, where((l(i) <= j) & (j < h(i)), A(i,j), 0))
> graph
i over the dimension
  where t
    j over A(i,j).2, kept to [i64(l(i)) <= j] and [j < h(i)]
      t += A(i,j)
  then
    y(i) = t
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, l_vals: in i32[], h_vals: in i64[], A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let l_val: i32 = l_vals[i]
    let h_val: i64 = h_vals[i]
    let t: f64 = 0.0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let j_from: i64 = min(max(i64(l_val), 0), j_dim)
    if 0 < j_from {
      let first: i64 = pA2
      let last: i64 = A2_end
      while first < last {
        let middle: i64 = shr(first + last, 1)
        if i64(A2_crd[middle]) < j_from {
          first = middle + 1
        } else {
          last = middle
        }
      }
      pA2 = first
    }
    let j_to: i64 = min(max(h_val, 0), j_dim)
    let j_stop_2: i64 = A2_end
    if j_to < j_dim {
      let first_4: i64 = pA2
      let last_4: i64 = j_stop_2
      while first_4 < last_4 {
        let middle_4: i64 = shr(first_4 + last_4, 1)
        if i64(A2_crd[middle_4]) < j_to {
          first_4 = middle_4 + 1
        } else {
          last_4 = middle_4
        }
      }
      j_stop_2 = first_4
    }
    vector for pA2_2 in pA2..j_stop_2 {
      t = t + A_vals[pA2_2]
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 27, stores 4, branches 50, rounds 16
> out all-backends
y = 2 3 0 6
