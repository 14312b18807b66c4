# The loops say what is computed; the number itself is an input of the kernel.
tensor A f64[3,4] csr = (0,1):0.25 (0,3):2 (1,0):-1 (2,2):0.75
expr C(i,j) = A(i,j) > 0.5
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit bool[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    reserve(C2_crd, pC2 + (A2_end - pA2))
    reserve(C_vals, pC2 + (A2_end - pA2))
    for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      let value: bool = A_vals[pA2_2] > 0.5
      if value != false {
        C_vals[pC2] = value
        C2_crd[pC2] = i32(j)
        pC2 = pC2 + 1
      }
    }
    C2_pos[i_shift + i + 1] = pC2
  }
  set_len(C2_pos, i_part + 1)
  set_len(C2_crd, pC2)
  set_len(C_vals, pC2)
}
> counts
loads 15, stores 8, branches 17, rounds 8
> literals
literals_f64: 0.5
> out
C = (0,3):true (2,2):true
