tensor A f64[2,6] rle = (0,0):2 (0,1):2 (0,4):3 (1,2):1 (1,3):1 (1,4):1
result B f64 rle
expr B(i,j) = 2 * A(i,j)
> cin
forall i forall j B(i,j) = 2.0 * A(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: out i64[], B2_crd: out uninit i32[], B_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pB2: i64 = 0
  let B_first: i64 = 0
  let B_now: i64 = 0
  let B_last: f64 = 0.0
  reserve(B2_pos, i_part + 1)
  B2_pos[0] = 0
  for i in i_begin..i_end {
    let A2_at: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    reserve(B2_crd, pB2 + (2 * (A2_end - pA2) + 1))
    reserve(B_vals, pB2 + (2 * (A2_end - pA2) + 1))
    for r in pA2..A2_end {
      let j_end: i64 = i64(A2_crd[r])
      if A_vals[r] != 0.0 {
        if B_now < A2_at {
          let at: i64 = pB2 - i64((B_first < pB2) & ((0.0 == B_last) & (inf == 1.0 / B_last)))
          B_vals[at] = 0.0
          B2_crd[at] = i32(A2_at)
          pB2 = at + 1
          B_last = 0.0
        }
        let value: f64 = 2.0 * A_vals[r]
        let at_2: i64 = pB2 - i64((B_first < pB2) & ((value == B_last) & (1.0 / value == 1.0 / B_last) | (value != value) & (B_last != B_last)))
        B_vals[at_2] = value
        B2_crd[at_2] = i32(j_end)
        pB2 = at_2 + 1
        B_last = value
        B_now = j_end
      }
      A2_at = j_end
    }
    if B_now < j_dim {
      reserve(B2_crd, pB2 + 1)
      reserve(B_vals, pB2 + 1)
      let at_3: i64 = pB2 - i64((B_first < pB2) & ((0.0 == B_last) & (inf == 1.0 / B_last)))
      B_vals[at_3] = 0.0
      B2_crd[at_3] = i32(j_dim)
      pB2 = at_3 + 1
      B_last = 0.0
    }
    B2_pos[i_shift + i + 1] = pB2
    B_first = pB2
    B_now = 0
  }
  set_len(B2_pos, i_part + 1)
  set_len(B2_crd, pB2)
  set_len(B_vals, pB2)
}
> counts
loads 22, stores 17, branches 26, rounds 10
> out
B = 4 4 0 0 6 0 0 0 2 2 2 0
