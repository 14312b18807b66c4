# What a mask stores counts, also where it is 0.
tensor A f64[4,3] csr = (0,0):1 (0,1):4 (1,1):2 (2,0):3 (2,2):5 (3,2):7
tensor x f64[3] dense = (0):1 (1):2 (2):3
tensor m f64[4] sv = (0):0 (2):1
expr y(i) = A(i,j) * x(j) where structure(m(i))
> cin
forall i (y(i) = where(m_stored(i), t, 0.0)) where (forall j t += A(i,j) * x(j))
> graph
y(i).1 appended
i over m_stored(i).1, with room for all
  where t
    j over A(i,j).2
      t += A(i,j) * x(j)
  then
    y(i) = where(m_stored(i), t, 0.0), appended unless it settles at the fill value
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], m_stored1_pos: in i64[], m_stored1_crd: in i32[], m_stored_vals: in bool[], y1_pos: out i64[], y1_crd: out uninit i32[], y_vals: out uninit f64[]) {
  let py1: i64 = 0
  reserve(y1_pos, 2)
  y1_pos[0] = 0
  let pm_stored1: i64 = m_stored1_pos[0]
  let m_stored1_end: i64 = m_stored1_pos[1]
  let i_stop: i64 = m_stored1_end
  if 0 < i_begin {
    let first: i64 = pm_stored1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(m_stored1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pm_stored1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pm_stored1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(m_stored1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  reserve(y1_crd, py1 + (i_stop - pm_stored1))
  reserve(y_vals, py1 + (i_stop - pm_stored1))
  for pm_stored1_2 in pm_stored1..i_stop {
    let i: i64 = i64(m_stored1_crd[pm_stored1_2])
    let m_stored_val: bool = m_stored_vals[pm_stored1_2]
    let t: f64 = 0.0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    vector for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      t = t + fused(A_vals[pA2_2], x_vals[j])
    }
    let value: f64 = select(m_stored_val, t, 0.0)
    if value != 0.0 {
      y_vals[py1] = value
      y1_crd[py1] = i32(i)
      py1 = py1 + 1
    }
  }
  y1_pos[1] = py1
  set_len(y1_pos, 2)
  set_len(y1_crd, py1)
  set_len(y_vals, py1)
}
> counts
loads 22, stores 6, branches 19, rounds 7
> out
y = 9 0 18 0
