tensor A f64[2,5] bitmap = (0,1):1 (0,3):2 (1,4):3
tensor B f64[2,5] csr = (0,1):4 (1,0):5
result C f64 csr
expr C(i,j) = A(i,j) + B(i,j)
> cin
forall i forall j C(i,j) = A(i,j) + B(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_bits: in i64[], A_vals: in f64[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let A2_word: i64 = i * shr(j_dim + 63, 6)
    let A2_base: i64 = i * j_dim
    let pA2: i64 = A2_base
    let A2_end: i64 = A2_base + j_dim
    let word: i64 = 0
    let rest: i64 = 0
    if 0 < j_dim {
      rest = A2_bits[A2_word]
    }
    let inv: i64 = shr(j_dim + 63, 6)
    while rest == 0 && word + 1 < inv {
      word = word + 1
      rest = A2_bits[A2_word + word]
    }
    pA2 = min(A2_base + (word * 64 + ctz(rest)), A2_end)
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    reserve(C2_crd, pC2 + (A2_end - pA2 + (B2_end - pB2)))
    reserve(C_vals, pC2 + (A2_end - pA2 + (B2_end - pB2)))
    while pA2 < A2_end && pB2 < B2_end {
      let jA: i64 = pA2 - A2_base
      let jB: i64 = i64(B2_crd[pB2])
      let j: i64 = min(jA, jB)
      let has: bool = jA == j
      let has_2: bool = jB == j
      if has && has_2 {
        C_vals[pC2] = A_vals[pA2] + B_vals[pB2]
        C2_crd[pC2] = i32(j)
        pC2 = pC2 + 1
      } else {
        if has {
          C_vals[pC2] = A_vals[pA2]
          C2_crd[pC2] = i32(j)
          pC2 = pC2 + 1
        } else {
          C_vals[pC2] = B_vals[pB2]
          C2_crd[pC2] = i32(j)
          pC2 = pC2 + 1
        }
      }
      if has {
        rest = rest & rest - 1
        let inv_2: i64 = shr(j_dim + 63, 6)
        while rest == 0 && word + 1 < inv_2 {
          word = word + 1
          rest = A2_bits[A2_word + word]
        }
        pA2 = min(A2_base + (word * 64 + ctz(rest)), A2_end)
      }
      pB2 = pB2 + i64(has_2)
    }
    while pA2 < A2_end {
      let jA_2: i64 = pA2 - A2_base
      C_vals[pC2] = A_vals[pA2]
      C2_crd[pC2] = i32(jA_2)
      pC2 = pC2 + 1
      rest = rest & rest - 1
      let inv_3: i64 = shr(j_dim + 63, 6)
      while rest == 0 && word + 1 < inv_3 {
        word = word + 1
        rest = A2_bits[A2_word + word]
      }
      pA2 = min(A2_base + (word * 64 + ctz(rest)), A2_end)
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
loads 13, stores 11, branches 36, rounds 6
> out
C = (0,1):5 (0,3):2 (1,0):5 (1,4):3
