# Slots of the operand that belong to no element are not stored in the result.
tensor A f64[2,5] sky = (0,1):1 (0,4):2 (1,2):3
result B f64 csr
expr B(i,j) = A(i,j)
> cin
forall i forall j B(i,j) = A(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_first: in i32[], A_vals: in f64[], B2_pos: out i64[], B2_crd: out uninit i32[], B_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pB2: i64 = 0
  reserve(B2_pos, i_part + 1)
  B2_pos[0] = 0
  for i in i_begin..i_end {
    let A2_base: i64 = A2_pos[i]
    let A2_low: i64 = i64(A2_first[i])
    let A2_end: i64 = A2_pos[i + 1]
    reserve(B2_crd, pB2 + (A2_end - A2_base))
    reserve(B_vals, pB2 + (A2_end - A2_base))
    let shift: i64 = A2_base - A2_low
    let j_end: i64 = A2_end - A2_base + A2_low
    for j in A2_low..j_end {
      let pA2_2: i64 = j + shift
      let value: f64 = A_vals[pA2_2]
      if value != 0.0 {
        B_vals[pB2] = value
        B2_crd[pB2] = i32(j)
        pB2 = pB2 + 1
      }
    }
    B2_pos[i_shift + i + 1] = pB2
  }
  set_len(B2_pos, i_part + 1)
  set_len(B2_crd, pB2)
  set_len(B_vals, pB2)
}
> counts
loads 11, stores 9, branches 19, rounds 8
> out
B = (0,1):1 (0,4):2 (1,2):3
