# The first elements of a row without a question, the others until one is found.
tensor A bool[3,7] csr = (0,0):true (0,1):true (0,6):true (2,0):true (2,1):true (2,2):true (2,3):true (2,4):true (2,5):true
tensor x bool[7] dense = false false false false false true false
expr y(i) = or(j, A(i,j) & x(j))
> graph
i over the dimension
  where t
    j over A(i,j).2, until t is true
      t |= A(i,j) & x(j)
  then
    y(i) = t
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in bool[], x_vals: in bool[], y_vals: out uninit bool[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: bool = false
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let first_end: i64 = min(pA2 + 4, A2_end)
    for pA2_2 in pA2..first_end {
      let j: i64 = i64(A2_crd[pA2_2])
      t = t | A_vals[pA2_2] & x_vals[j]
    }
    if first_end < A2_end {
      if !t {
        for pA2_2 in first_end..A2_end {
          let j: i64 = i64(A2_crd[pA2_2])
          if A_vals[pA2_2] & x_vals[j] {
            t = true
            break
          }
        }
      }
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 33, stores 3, branches 24, rounds 12
> out
y = false false true
