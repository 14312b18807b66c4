# A merge asks as it goes.
tensor A bool[2,5] csr = (0,0):true (0,2):true (0,4):true (1,1):true
tensor B bool[2,5] csr = (0,2):true (0,3):true (1,0):true
expr y(i) = any(j, A(i,j) & B(i,j))
> graph
i over the dimension
  where t
    j over A(i,j).2 and B(i,j).2, until t is true
      t |= A(i,j) & B(i,j)
  then
    y(i) = t
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in bool[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in bool[], y_vals: out uninit bool[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: bool = false
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    while pA2 < A2_end && pB2 < B2_end {
      let jA: i64 = i64(A2_crd[pA2])
      let jB: i64 = i64(B2_crd[pB2])
      let j: i64 = min(jA, jB)
      let has: bool = jA == j
      let has_2: bool = jB == j
      if has && has_2 {
        if A_vals[pA2] & B_vals[pB2] {
          t = true
          break
        }
      }
      pA2 = pA2 + i64(has)
      pB2 = pB2 + i64(has_2)
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 16, stores 2, branches 20, rounds 5
> out
y = true false
