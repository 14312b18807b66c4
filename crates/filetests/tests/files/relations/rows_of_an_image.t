# A convolution of an image takes one pass along a row for each weight.
tensor m f64[30,40] dense = (0,0):1 (0,39):2 (9,13):4 (11,10):8 (29,1):16 (29,39):32
tensor b f64[3,3] dense = 1 2 3 4 5 6 7 8 9
result C f64 dense
expr C(i,j) = m(i+r,j+t) * b(r,t)
> cin
forall i forall r forall c forall t forall j forall c1 C(i,j) += where((c == i + r) & (c1 == j + t), m(c,c1) * b(r,t), 0.0)
> loops
kernel kernel(i_dim: i64, j_dim: i64, r_dim: i64, t_dim: i64, c_dim: i64, c1_dim: i64, i_begin: i64, i_end: i64, m_vals: in f64[], b_vals: in f64[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(C_vals, i_part * j_dim)
  for i in i_begin..i_end {
    vector for q in (i_shift + i) * j_dim..(i_shift + i) * j_dim + j_dim {
      C_vals[q] = 0.0
    }
    for r in 0..r_dim {
      let pc_set3: i64 = i + r
      let b2_base: i64 = r * t_dim
      for t in 0..t_dim {
        let b_val: f64 = b_vals[b2_base + t]
        let C2_base: i64 = (i_shift + i) * j_dim
        let inv: i64 = pc_set3 * c1_dim
        vector for j in 0..j_dim {
          let pc1_set3: i64 = j + t
          C_vals[C2_base + j] += fused(m_vals[inv + pc1_set3], b_val)
        }
      }
    }
  }
  set_len(C_vals, i_part * j_dim)
}
> counts
loads 4452, stores 1960, branches 3165, rounds 1820
> out all-backends
C = (0,0):1 (0,37):6 (7,11):36 (7,12):32 (7,13):28 (8,11):24 (8,12):20 (8,13):16 (9,8):72 (9,9):64 (9,10):56 (9,11):12 (9,12):8 (9,13):4 (10,8):48 (10,9):40 (10,10):32 (11,8):24 (11,9):16 (11,10):8 (27,0):128 (27,1):112 (27,37):288
