# A product of dense matrices in tiles of the result's columns: the loop over j goes inside of the tile.
tensor A f64[3,4] dense = 1 2 3 4 5 6 7 8 9 10 11 12
tensor B f64[4,5] dense = 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 9 0 10 0
schedule split(k,k0,k1,2); reorder(k0,i,j,k1)
expr C(i,k) = A(i,j) * B(j,k)
> cin
forall k0 forall i forall j forall k1 forall k C(i,k) += A(i,j) * B(j,k)
> loops
kernel kernel(i_dim: i64, k_dim: i64, j_dim: i64, k0_dim: i64, k0_low: i64, k1_dim: i64, k1_low: i64, k0_begin: i64, k0_end: i64, A_vals: in f64[], B_vals: in f64[], C_vals: out f64[]) {
  reserve(C_vals, i_dim * k_dim)
  for k0 in k0_begin..k0_end {
    for i in 0..i_dim {
      let A2_base: i64 = i * j_dim
      for j in 0..j_dim {
        let a_val: f64 = A_vals[A2_base + j]
        if k0 * 2 + 2 <= k_dim {
          let inv: i64 = k0 * 2
          let inv_2: i64 = i * k_dim
          let inv_3: i64 = j * k_dim
          for k1_2 in 0..2 {
            let k_2: i64 = k1_2 + inv
            C_vals[inv_2 + k_2] += fused(a_val, B_vals[inv_3 + k_2])
          }
        } else {
          let inv_4: i64 = k0 * 2
          let inv_5: i64 = i * k_dim
          let inv_6: i64 = j * k_dim
          for k1 in 0..min(2, k_dim - k0 * 2) {
            let k: i64 = k1 + inv_4
            C_vals[inv_5 + k] += fused(a_val, B_vals[inv_6 + k])
          }
        }
      }
    }
  }
  set_len(C_vals, i_dim * k_dim)
}
> counts
loads 120, stores 24, branches 169, rounds 69
> out
C = 19 44 23 50 27 47 96 59 110 71 75 148 95 170 115
