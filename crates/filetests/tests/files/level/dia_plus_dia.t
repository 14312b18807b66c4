# Formats that compute the same coordinates are merged level by level.
tensor A f64[3,4] dia = (0,0):1 (1,1):2 (2,2):3 (0,2):4 (1,3):5
tensor B f64[3,4] dia = (0,0):6 (1,1):7 (1,0):8 (2,1):9
expr C(i,j) = A(i,j) + B(i,j)
> cin
forall i forall j C(i,j) = A(i,j) + B(i,j)
> lattice d

> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    reserve(C2_crd, pC2 + (A2_end - pA2 + (B2_end - pB2)))
    reserve(C_vals, pC2 + (A2_end - pA2 + (B2_end - pB2)))
    while pA2 < A2_end && pB2 < B2_end {
      let jA: i64 = i64(A2_crd[pA2])
      let jB: i64 = i64(B2_crd[pB2])
      let j: i64 = min(jA, jB)
      if jA == jB {
        C_vals[pC2] = A_vals[pA2] + B_vals[pB2]
        C2_crd[pC2] = i32(j)
        pC2 = pC2 + 1
        pA2 = pA2 + 1
        pB2 = pB2 + 1
      } else {
        if jA < jB {
          C_vals[pC2] = A_vals[pA2]
          C2_crd[pC2] = i32(j)
          pC2 = pC2 + 1
          pA2 = pA2 + 1
        } else {
          C_vals[pC2] = B_vals[pB2]
          C2_crd[pC2] = i32(j)
          pC2 = pC2 + 1
          pB2 = pB2 + 1
        }
      }
    }
    for pA2_2 in pA2..A2_end {
      let j_2: i64 = i64(A2_crd[pA2_2])
      C_vals[pC2] = A_vals[pA2_2]
      C2_crd[pC2] = i32(j_2)
      pC2 = pC2 + 1
    }
    for pB2_2 in pB2..B2_end {
      let j_3: i64 = i64(B2_crd[pB2_2])
      C_vals[pC2] = B_vals[pB2_2]
      C2_crd[pC2] = i32(j_3)
      pC2 = pC2 + 1
    }
    C2_pos[i_shift + i + 1] = pC2
  }
  set_len(C2_pos, i_part + 1)
  set_len(C2_crd, pC2)
  set_len(C_vals, pC2)
}
> counts
loads 32, stores 18, branches 35, rounds 11
> out
C = 7 0 4 0 8 9 0 5 0 9 3 0
