# Along the border each weight has its part of the row, inside of which nothing is asked.
tensor m f64[30,40] dense = (0,0):1 (0,39):2 (9,13):4 (11,10):8 (29,1):16 (29,39):32
tensor b f64[3,3] dense = 1 2 3 4 5 6 7 8 9
result C f64 dense
expr C(i,j) = padded(m(i+r-1,j+t-1)) * b(r,t)
> cin
forall i forall r forall c forall t forall j forall c1 C(i,j) += where((c == i + r - 1) & (c1 == j + t - 1), where((i + r - 1 >= 0) & (i + r - 1 < 30) & ((j + t - 1 >= 0) & (j + t - 1 < 40)), m(c,c1), 0.0) * b(r,t), 0.0)
> loops
kernel kernel(i_dim: i64, j_dim: i64, r_dim: i64, t_dim: i64, c_dim: i64, c1_dim: i64, i_begin: i64, i_end: i64, m_vals: in f64[], b_vals: in f64[], C_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(C_vals, i_part * j_dim)
  for i in i_begin..i_end {
    vector for q in (i_shift + i) * j_dim..(i_shift + i) * j_dim + j_dim {
      C_vals[q] = 0.0
    }
    let pr_set2: i64 = 0
    let r_set2_end: i64 = min(max(31 - i, 0), r_dim)
    let r_from: i64 = min(max(1 - i, 0), r_dim)
    let r_stop: i64 = r_set2_end
    pr_set2 = max(pr_set2, r_from)
    r_stop = max(pr_set2, min(r_stop, r_dim))
    for r in pr_set2..r_stop {
      let pc_set3: i64 = i + r - 1
      let b2_base: i64 = r * t_dim
      for t in 0..t_dim {
        let b_val: f64 = b_vals[b2_base + t]
        let C2_base: i64 = (i_shift + i) * j_dim
        let pj_set2: i64 = 0
        let j_set2_end: i64 = min(max(41 - t, 0), j_dim)
        let j_from: i64 = min(max(1 - t, 0), j_dim)
        let j_stop: i64 = j_set2_end
        pj_set2 = max(pj_set2, j_from)
        j_stop = max(pj_set2, min(j_stop, j_dim))
        let inv: i64 = pc_set3 * c1_dim
        vector for j in pj_set2..j_stop {
          let pc1_set3: i64 = j + t - 1
          C_vals[C2_base + j] += fused(m_vals[inv + pc1_set3], b_val)
        }
      }
    }
  }
  set_len(C_vals, i_part * j_dim)
}
> counts
loads 5016, stores 2526, branches 3791, rounds 2114
> out all-backends
C = (0,0):5 (0,1):4 (0,38):12 (0,39):10 (1,0):2 (1,1):1 (1,38):6 (1,39):4 (8,12):36 (8,13):32 (8,14):28 (9,12):24 (9,13):20 (9,14):16 (10,9):72 (10,10):64 (10,11):56 (10,12):12 (10,13):8 (10,14):4 (11,9):48 (11,10):40 (11,11):32 (12,9):24 (12,10):16 (12,11):8 (28,0):144 (28,1):128 (28,2):112 (28,38):288 (28,39):256 (29,0):96 (29,1):80 (29,2):64 (29,38):192 (29,39):160
