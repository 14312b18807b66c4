# Between what a list stores, all of a row is one run.
tensor A f64[3,6] csr = (0,2):5 (0,5):1 (1,0):2 (1,3):-3 (1,4):1
tensor x f64[3] dense = (0):1 (2):7
tensor C f64[3,6] rle =
expr C(i,j) = A(i,j) + x(i)
> graph
C(i,j).1 located, C(i,j).2 appended
i over the dimension
  j over the dimension, between A(i,j).2
    in A(i,j).2
      C(i,j) = A(i,j) + x(i), appended
    in none
      C(i,j) = x(i), appended
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  let C_first: i64 = 0
  let C_last: f64 = 0.0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let x_val: f64 = x_vals[i]
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let j_at: i64 = 0
    while j_at < j_dim {
      let jA: i64 = j_dim
      if pA2 < A2_end {
        jA = i64(A2_crd[pA2])
      }
      let j: i64 = jA
      if j_at < j {
        reserve(C2_crd, pC2 + 1)
        reserve(C_vals, pC2 + 1)
        let at: i64 = pC2 - i64((C_first < pC2) & ((x_val == C_last) & (1.0 / x_val == 1.0 / C_last) | (x_val != x_val) & (C_last != C_last)))
        C_vals[at] = x_val
        C2_crd[at] = i32(j)
        pC2 = at + 1
        C_last = x_val
      }
      if j < j_dim {
        let has: bool = jA == j
        let value: f64 = A_vals[pA2] + x_val
        reserve(C2_crd, pC2 + 1)
        reserve(C_vals, pC2 + 1)
        let at_2: i64 = pC2 - i64((C_first < pC2) & ((value == C_last) & (1.0 / value == 1.0 / C_last) | (value != value) & (C_last != C_last)))
        C_vals[at_2] = value
        C2_crd[at_2] = i32(j + 1)
        pC2 = at_2 + 1
        C_last = value
        pA2 = pA2 + i64(has)
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
loads 19, stores 24, branches 37, rounds 11
> out
C = 1 1 6 1 1 2 2 0 0 -3 1 0 7 7 7 7 7 7
