# What lies below the diagonal of a list of rows is walked and stored alone: the walk of a row ends where the comparison does.
tensor A f64[4,4] csr = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
result C csr
expr C(i,j) = A(i,j) * (j < i)
> graph
C(i,j).1 located, C(i,j).2 appended
i over the dimension
  j over A(i,j).2, kept to [j < i], with room for all
    C(i,j) = A(i,j), appended
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let j_to: i64 = min(max(i, 0), j_dim)
    let j_stop: i64 = A2_end
    if j_to < j_dim {
      let first_2: i64 = pA2
      let last_2: i64 = j_stop
      while first_2 < last_2 {
        let middle_2: i64 = shr(first_2 + last_2, 1)
        if i64(A2_crd[middle_2]) < j_to {
          first_2 = middle_2 + 1
        } else {
          last_2 = middle_2
        }
      }
      j_stop = first_2
    }
    reserve(C2_crd, pC2 + (j_stop - pA2))
    reserve(C_vals, pC2 + (j_stop - pA2))
    for pA2_2 in pA2..j_stop {
      let j: i64 = i64(A2_crd[pA2_2])
      C_vals[pC2] = A_vals[pA2_2]
      C2_crd[pC2] = i32(j)
      pC2 = pC2 + 1
    }
    C2_pos[i_shift + i + 1] = pC2
  }
  set_len(C2_pos, i_part + 1)
  set_len(C2_crd, pC2)
  set_len(C_vals, pC2)
}
> counts
loads 20, stores 11, branches 34, rounds 14
> out all-backends
C = (1,0):3 (3,0):5 (3,1):6
