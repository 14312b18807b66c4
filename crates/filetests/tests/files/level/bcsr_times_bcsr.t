# Blocks of one size: only blocks that both store are multiplied.
tensor A f64[4,4] bcsr(2,2) = (0,0):1 (1,1):2 (2,3):3 (3,2):4
tensor B f64[4,4] bcsr(2,2) = (0,0):5 (0,1):6 (2,0):7 (2,2):8 (2,3):9
result C f64 dense
expr C(i,j) = A(i,j) * B(i,j)
> cin
forall bi forall bj forall ri forall rj forall i forall j C(i,j) = A(bi,bj,ri,rj,i,j) * B(bi,bj,ri,rj,i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, bi_dim: i64, bi_low: i64, bj_dim: i64, bj_low: i64, ri_dim: i64, ri_low: i64, rj_dim: i64, rj_low: i64, bi_begin: i64, bi_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C_vals: out f64[]) {
  let i_shift: i64 = 0 - bi_begin * 2
  let i_part: i64 = min(bi_end * 2, i_dim) - bi_begin * 2
  reserve(C_vals, i_part * j_dim)
  let A1_base: i64 = 0 - bi_low
  let B1_base: i64 = 0 - bi_low
  for bi in bi_begin..bi_end {
    let pA2: i64 = A2_pos[A1_base + bi]
    let A2_end: i64 = A2_pos[A1_base + bi + 1]
    let pB2: i64 = B2_pos[B1_base + bi]
    let B2_end: i64 = B2_pos[B1_base + bi + 1]
    while pA2 < A2_end && pB2 < B2_end {
      let bjA: i64 = i64(A2_crd[pA2])
      let bjB: i64 = i64(B2_crd[pB2])
      let bj: i64 = min(bjA, bjB)
      let has: bool = bjA == bj
      let has_2: bool = bjB == bj
      if has && has_2 {
        let A3_base: i64 = pA2 * 2
        let B3_base: i64 = pB2 * 2
        for ri in 0..min(2, i_dim - bi * 2) {
          let A4_base: i64 = (A3_base + ri) * 2
          let B4_base: i64 = (B3_base + ri) * 2
          let inv: i64 = ri + bi * 2
          let inv_2: i64 = bj * 2
          let inv_3: i64 = (i_shift + inv) * j_dim
          for rj in 0..min(2, j_dim - bj * 2) {
            let pA5: i64 = A4_base + rj
            let pB5: i64 = B4_base + rj
            let j: i64 = rj + inv_2
            C_vals[inv_3 + j] = times(A_vals[pA5], B_vals[pB5])
          }
        }
      }
      pA2 = pA2 + i64(has)
      pB2 = pB2 + i64(has_2)
    }
  }
  set_len(C_vals, i_part * j_dim)
}
> counts
loads 30, stores 8, branches 45, rounds 19
> out
C = (0,0):5 (2,3):27
