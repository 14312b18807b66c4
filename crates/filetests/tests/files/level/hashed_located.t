# Coordinates of the walked operand are looked up in the hash tables of the other.
tensor A f64[3,5] csr = (0,1):1 (0,3):2 (2,4):3
tensor B f64[3,5] hash = (0,3):4 (1,0):5 (2,4):6
result C f64 csr
expr C(i,j) = A(i,j) * B(i,j)
> cin
forall i forall j C(i,j) = A(i,j) * B(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_width: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[]) {
  let B2_width_2: i64 = B2_width[0]
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
      let table: i64 = i * B2_width_2
      let bucket: i64 = j
      bucket = (bucket ^ shr(bucket, 32) & 4294967295) * -2960836687051489901
      bucket = (bucket ^ shr(bucket, 32) & 4294967295) * -2960836687051489901
      bucket = (bucket ^ shr(bucket, 32) & 4294967295) & B2_width_2 - 1
      let inv: i64 = B2_width_2 - 1
      while i64(B2_crd[table + bucket]) != j && i64(B2_crd[table + bucket]) != -1 {
        bucket = bucket + 1 & inv
      }
      let pB2: i64 = table + bucket
      if i64(B2_crd[table + bucket]) == j {
        C_vals[pC2] = A_vals[pA2_2] * B_vals[pB2]
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
loads 23, stores 8, branches 25, rounds 9
> out
C = (0,3):8 (2,4):18
