# Intersections of bitmaps go 64 coordinates at a time.
tensor a f64[70] bitmap = (0):1 (3):2 (64):3 (69):4
tensor b f64[70] bitmap = (3):5 (64):6 (65):7
expr c = a(i) * b(i)
> cin
(c = t) where (forall i t += a(i) * b(i))
> lattice i
produce a(i).1 & b(i).1
> loops
kernel kernel(i_dim: i64, a1_bits: in i64[], a_vals: in f64[], b1_bits: in i64[], b_vals: in f64[], c_vals: out uninit f64[]) {
  reserve(c_vals, 1)
  let t: f64 = 0.0
  for w in 0..shr(i_dim + 63, 6) {
    let m: i64 = a1_bits[w] & b1_bits[w]
    let inv: i64 = w * 64
    while m != 0 {
      let b: i64 = inv + ctz(m)
      t = t + fused(a_vals[b], b_vals[b])
      m = m & m - 1
    }
  }
  c_vals[0] = t
  set_len(c_vals, 1)
}
> counts
loads 8, stores 1, branches 9, rounds 5
> out
c = 28
