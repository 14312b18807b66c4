# What encloses loops asks after each of them.
tensor A bool[3,4] csr = (1,0):true (1,1):true (2,3):true
expr y = any(i, j, A(i,j))
> graph
where t
  i over the dimension, until t is true
    j over A(i,j).2, until t is true
      t |= A(i,j)
then
  y = t
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in bool[], y_vals: out uninit bool[]) {
  reserve(y_vals, 1)
  let t: bool = false
  for i in i_begin..i_end {
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let first_end: i64 = min(pA2 + 4, A2_end)
    for pA2_2 in pA2..first_end {
      t = t | A_vals[pA2_2]
    }
    if first_end < A2_end {
      if !t {
        for pA2_2 in first_end..A2_end {
          if A_vals[pA2_2] {
            t = true
            break
          }
        }
      }
    }
    if t {
      break
    }
  }
  y_vals[0] = t
  set_len(y_vals, 1)
}
> counts
loads 6, stores 1, branches 12, rounds 4
> out
y = true
