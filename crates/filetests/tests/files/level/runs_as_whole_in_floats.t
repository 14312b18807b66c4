# Beside infinities and NaN a product of runs is computed where both hold something.
tensor A f64[2,8] rle = (0,0):2 (0,1):2 (0,4):3 (1,2):1 (1,3):inf (1,4):inf
tensor B f64[2,8] rle = (0,1):5 (0,2):5 (0,4):4 (1,0):nan (1,3):1 (1,4):2
result C f64 rle
expr C(i,j) = A(i,j) * B(i,j)
> graph
C(i,j).1 located, C(i,j).2 appended
i over the dimension
  j over runs of A(i,j).2 and B(i,j).2 but those of the fill value, with room for all
    C(i,j) = A(i,j) * B(i,j), appended
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  let C_first: i64 = 0
  let C_now: i64 = 0
  let C_last: f64 = 0.0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let A2_at: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    reserve(C2_crd, pC2 + (2 * (A2_end - pA2 + (B2_end - pB2)) + 1))
    reserve(C_vals, pC2 + (2 * (A2_end - pA2 + (B2_end - pB2)) + 1))
    while pA2 < A2_end {
      let A_end: i64 = i64(A2_crd[pA2])
      let B_end: i64 = i64(B2_crd[pB2])
      let j_end: i64 = min(A_end, B_end)
      if A_vals[pA2] != 0.0 && B_vals[pB2] != 0.0 {
        if C_now < A2_at {
          let at: i64 = pC2 - i64((C_first < pC2) & ((0.0 == C_last) & (inf == 1.0 / C_last)))
          C_vals[at] = 0.0
          C2_crd[at] = i32(A2_at)
          pC2 = at + 1
          C_last = 0.0
        }
        let value: f64 = A_vals[pA2] * B_vals[pB2]
        let at_2: i64 = pC2 - i64((C_first < pC2) & ((value == C_last) & (1.0 / value == 1.0 / C_last) | (value != value) & (C_last != C_last)))
        C_vals[at_2] = value
        C2_crd[at_2] = i32(j_end)
        pC2 = at_2 + 1
        C_last = value
        C_now = j_end
      }
      A2_at = j_end
      pA2 = pA2 + i64(A_end == j_end)
      pB2 = pB2 + i64(B_end == j_end)
    }
    if C_now < j_dim {
      reserve(C2_crd, pC2 + 1)
      reserve(C_vals, pC2 + 1)
      let at_3: i64 = pC2 - i64((C_first < pC2) & ((0.0 == C_last) & (inf == 1.0 / C_last)))
      C_vals[at_3] = 0.0
      C2_crd[at_3] = i32(j_dim)
      pC2 = at_3 + 1
      C_last = 0.0
    }
    C2_pos[i_shift + i + 1] = pC2
    C_first = pC2
    C_now = 0
  }
  set_len(C2_pos, i_part + 1)
  set_len(C2_crd, pC2)
  set_len(C_vals, pC2)
}
> counts
loads 58, stores 21, branches 49, rounds 15
> out
C = (0,1):10 (0,4):12 (1,3):inf (1,4):inf
