tensor A f64[5,5] bcsr(2,2) = (0,0):1 (1,1):2 (2,3):3 (3,2):4 (4,4):5
tensor x f64[5] dense = 1 2 3 4 5
expr y(i) = A(i,j) * x(j)
> cin
forall bi forall bj forall ri forall rj forall i forall j y(i) += A(bi,bj,ri,rj,i,j) * x(j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, bi_dim: i64, bi_low: i64, bj_dim: i64, bj_low: i64, ri_dim: i64, ri_low: i64, rj_dim: i64, rj_low: i64, bi_begin: i64, bi_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], y_vals: out f64[]) {
  let i_shift: i64 = 0 - bi_begin * 2
  let i_part: i64 = min(bi_end * 2, i_dim) - bi_begin * 2
  reserve(y_vals, i_part)
  let A1_base: i64 = 0 - bi_low
  for bi in bi_begin..bi_end {
    let pA2: i64 = A2_pos[A1_base + bi]
    let A2_end: i64 = A2_pos[A1_base + bi + 1]
    for pA2_2 in pA2..A2_end {
      let bj: i64 = i64(A2_crd[pA2_2])
      if bi * 2 + 2 <= i_dim && (rem(j_dim, 2) == 0) | (bj * 2 + 2 <= j_dim) {
        let A3_base_2: i64 = pA2_2 * 2
        for ri_2 in 0..2 {
          let A4_base_2: i64 = (A3_base_2 + ri_2) * 2
          let inv: i64 = ri_2 + bi * 2
          let inv_2: i64 = bj * 2
          let inv_5: i64 = i_shift + inv
          for rj_2 in 0..2 {
            let pA5_2: i64 = A4_base_2 + rj_2
            let j_2: i64 = rj_2 + inv_2
            y_vals[inv_5] += fused(A_vals[pA5_2], x_vals[j_2])
          }
        }
      } else {
        let A3_base: i64 = pA2_2 * 2
        for ri in 0..min(2, i_dim - bi * 2) {
          let A4_base: i64 = (A3_base + ri) * 2
          let inv_3: i64 = ri + bi * 2
          let inv_4: i64 = bj * 2
          let inv_6: i64 = i_shift + inv_3
          for rj in 0..min(2, j_dim - bj * 2) {
            let pA5: i64 = A4_base + rj
            let j: i64 = rj + inv_4
            y_vals[inv_6] += fused(A_vals[pA5], x_vals[j])
          }
        }
      }
    }
  }
  set_len(y_vals, i_part)
}
> counts
loads 32, stores 5, branches 30, rounds 9
> out
y = 1 4 12 12 25
