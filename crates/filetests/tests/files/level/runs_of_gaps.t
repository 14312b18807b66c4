# Runs beside a list: each gap of the list makes runs of the result at once, which is in runs by default.
tensor A f64[4,8] rle = (0,0):1 (0,1):1 (0,2):1 (0,3):1 (0,4):2 (0,5):2 (1,3):-1 (3,0):4 (3,7):4
tensor B f64[4,8] csr = (0,2):5 (0,7):1 (1,0):2 (1,3):1 (1,4):-1 (2,1):3
expr C(i,j) = A(i,j) + B(i,j)
> graph
C(i,j).1 located, C(i,j).2 appended
i over the dimension
  j over runs of A(i,j).2, between B(i,j).2
    in A(i,j).2 & B(i,j).2
      C(i,j) = A(i,j) + B(i,j), appended
    in A(i,j).2
      C(i,j) = A(i,j), appended
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  let C_first: i64 = 0
  let C_last: f64 = 0.0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let pA2: i64 = A2_pos[i]
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    let j_at: i64 = 0
    while j_at < j_dim {
      let jB: i64 = j_dim
      if pB2 < B2_end {
        jB = i64(B2_crd[pB2])
      }
      let j: i64 = jB
      if j_at < j {
        while j_at < j {
          let j_end: i64 = min(j, i64(A2_crd[pA2]))
          let value: f64 = A_vals[pA2]
          reserve(C2_crd, pC2 + 1)
          reserve(C_vals, pC2 + 1)
          let at: i64 = pC2 - i64((C_first < pC2) & ((value == C_last) & (1.0 / value == 1.0 / C_last) | (value != value) & (C_last != C_last)))
          C_vals[at] = value
          C2_crd[at] = i32(j_end)
          pC2 = at + 1
          C_last = value
          pA2 = pA2 + i64(i64(A2_crd[pA2]) == j_end)
          j_at = j_end
        }
      }
      if j < j_dim {
        let has: bool = jB == j
        let value_2: f64 = A_vals[pA2] + B_vals[pB2]
        reserve(C2_crd, pC2 + 1)
        reserve(C_vals, pC2 + 1)
        let at_2: i64 = pC2 - i64((C_first < pC2) & ((value_2 == C_last) & (1.0 / value_2 == 1.0 / C_last) | (value_2 != value_2) & (C_last != C_last)))
        C_vals[at_2] = value_2
        C2_crd[at_2] = i32(j + 1)
        pC2 = at_2 + 1
        C_last = value_2
        pB2 = pB2 + i64(has)
        pA2 = pA2 + i64(i64(A2_crd[pA2]) == j + 1)
      }
      j_at = j + 1
    }
    C2_pos[i_shift + i + 1] = pC2
    C_first = pC2
  }
  set_len(C2_pos, i_part + 1)
  set_len(C2_crd, pC2)
  set_len(C_vals, pC2)
}
> counts
loads 69, stores 39, branches 63, rounds 24
> out
C = (0,0):1 (0,1):1 (0,2):6 (0,3):1 (0,4):2 (0,5):2 (0,7):1 (1,0):2 (1,4):-1 (2,1):3 (3,0):4 (3,7):4
