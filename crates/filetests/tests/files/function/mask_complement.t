tensor A f64[3,3] csr = (0,0):1 (0,1):4 (2,1):2
tensor x f64[3] dense = (0):1 (1):2 (2):3
tensor m bool[3] s = (0):true (1):false
expr y(i) = A(i,j) * x(j) where !m(i)
> cin
forall i (y(i) = where(!m(i), t, 0.0)) where (forall j t += A(i,j) * x(j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], m1_pos: in i64[], m1_crd: in i32[], m_vals: in bool[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  let pm1: i64 = m1_pos[0]
  let m1_end: i64 = m1_pos[1]
  let i_stop: i64 = m1_end
  if 0 < i_begin {
    let first: i64 = pm1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(m1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pm1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pm1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(m1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  for i in i_begin..i_end {
    let has: bool = pm1 < i_stop && i64(m1_crd[pm1]) == i
    if has {
      let m_val: bool = m_vals[pm1]
      if !m_val {
        let t: f64 = 0.0
        let pA2: i64 = A2_pos[i]
        let A2_end: i64 = A2_pos[i + 1]
        vector for pA2_2 in pA2..A2_end {
          let j: i64 = i64(A2_crd[pA2_2])
          t = t + fused(A_vals[pA2_2], x_vals[j])
        }
        y_vals[i_shift + i] = t
      } else {
        y_vals[i_shift + i] = 0.0
      }
    } else {
      let t_2: f64 = 0.0
      let pA2_3: i64 = A2_pos[i]
      let A2_end_2: i64 = A2_pos[i + 1]
      vector for pA2_4 in pA2_3..A2_end_2 {
        let j_2: i64 = i64(A2_crd[pA2_4])
        t_2 = t_2 + fused(A_vals[pA2_4], x_vals[j_2])
      }
      y_vals[i_shift + i] = t_2
    }
    pm1 = pm1 + i64(has)
  }
  set_len(y_vals, i_part)
}
> counts
loads 13, stores 3, branches 23, rounds 5
> out
y = 0 0 4
