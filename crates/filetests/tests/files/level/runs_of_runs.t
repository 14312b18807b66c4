# Runs of a result are made of what runs of operands have in common.
tensor H bool[2,8] rle = (0,0):true (0,1):true (0,4):true (1,2):true (1,3):true (1,4):true
tensor L bool[2,8] rle = (0,0):true (0,1):true (0,2):true (0,4):true (1,1):true (1,2):true (1,3):true (1,4):true
tensor R bool[2,8] rle = (0,1):true (0,2):true (0,3):true (0,4):true (1,0):true (1,1):true (1,2):true (1,3):true
result E bool rle
expr E(i,j) = (H(i,j) & R(i,j)) ^ (L(i,j) & R(i,j))
> graph
E(i,j).1 located, E(i,j).2 appended
i over the dimension
  j over runs of H(i,j).2 and R(i,j).2 and L(i,j).2, with room for all
    E(i,j) = H(i,j) & R(i,j) ^ L(i,j) & R(i,j), appended
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, H2_pos: in i64[], H2_crd: in i32[], H_vals: in bool[], R2_pos: in i64[], R2_crd: in i32[], R_vals: in bool[], L2_pos: in i64[], L2_crd: in i32[], L_vals: in bool[], E2_pos: out i64[], E2_crd: out uninit i32[], E_vals: out uninit bool[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pE2: i64 = 0
  let E_first: i64 = 0
  let E_last: bool = false
  reserve(E2_pos, i_part + 1)
  E2_pos[0] = 0
  for i in i_begin..i_end {
    let pH2: i64 = H2_pos[i]
    let H2_end: i64 = H2_pos[i + 1]
    let pR2: i64 = R2_pos[i]
    let R2_end: i64 = R2_pos[i + 1]
    let pL2: i64 = L2_pos[i]
    let L2_end: i64 = L2_pos[i + 1]
    reserve(E2_crd, pE2 + (H2_end - pH2 + (R2_end - pR2) + (L2_end - pL2)))
    reserve(E_vals, pE2 + (H2_end - pH2 + (R2_end - pR2) + (L2_end - pL2)))
    while pH2 < H2_end {
      let H_end: i64 = i64(H2_crd[pH2])
      let R_end: i64 = i64(R2_crd[pR2])
      let L_end: i64 = i64(L2_crd[pL2])
      let j_end: i64 = min(min(H_end, R_end), L_end)
      let value: bool = H_vals[pH2] & R_vals[pR2] ^ L_vals[pL2] & R_vals[pR2]
      let at: i64 = pE2 - i64((E_first < pE2) & (value == E_last))
      E_vals[at] = value
      E2_crd[at] = i32(j_end)
      pE2 = at + 1
      E_last = value
      pH2 = pH2 + i64(H_end == j_end)
      pR2 = pR2 + i64(R_end == j_end)
      pL2 = pL2 + i64(L_end == j_end)
    }
    E2_pos[i_shift + i + 1] = pE2
    E_first = pE2
  }
  set_len(E2_pos, i_part + 1)
  set_len(E2_crd, pE2)
  set_len(E_vals, pE2)
}
> counts
loads 89, stores 25, branches 18, rounds 14
> out
E = (0,2):true (1,1):true
