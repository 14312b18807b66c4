# A tree is walked where it has leaves; what is missing at each level is counted, and comes to one value.
tensor A f64[3,4,5] csf = (0,0,0):1 (0,0,1):2 (0,1,3):3 (0,2,0):4 (0,3,4):5 (2,0,0):-1 (2,0,1):-2 (2,0,2):-3 (2,0,3):-4 (2,0,4):-5
expr o = max(i, min(j, max(k, A(i,j,k))))
> cin
((o = with_fill(max, t, t1, with_fill(min, f64(inf), 0, with_fill(max, f64(-inf), 0, 0.0, k), j), i)) where (forall i (t max= stored(t2, with_fill(min, t3, t2, with_fill(max, f64(-inf), 0, 0.0, k), j))) where (forall j ((multi {t2 += stored(t4, 1); t3 min= stored(t4, with_fill(max, t5, t4, 0.0, k))}) where (forall k t4 += stored(A(i,j,k), 1))) where (forall k t5 max= stored(A(i,j,k)))))) where (forall i (t1 += stored(t6, 1)) where (forall j (t6 += stored(t7, 1)) where (forall k t7 += stored(A(i,j,k), 1))))
> graph
where t1
  i over A(i,j,k).1
    where t6
      j over A(i,j,k).2
        where t7
          k over A(i,j,k).3
            t7 += stored(A(i,j,k), 1)
        then
          t6 += stored(t7, 1)
    then
      t1 += stored(t6, 1)
then
  where t
    i over A(i,j,k).1
      where t2, t3
        j over A(i,j,k).2
          where t5
            k over A(i,j,k).3
              t5 max= stored(A(i,j,k))
          then
            where t4
              k over A(i,j,k).3
                t4 += stored(A(i,j,k), 1)
            then
              t2 += stored(t4, 1)
              t3 min= stored(t4, with_fill(max, t5, t4, 0.0, k))
      then
        t max= stored(t2, with_fill(min, t3, t2, with_fill(max, f64(-inf), 0, 0.0, k), j))
  then
    o = with_fill(max, t, t1, with_fill(min, f64(inf), 0, with_fill(max, f64(-inf), 0, 0.0, k), j), i)
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, A1_pos: in i64[], A1_crd: in i32[], A2_pos: in i64[], A2_crd: in i32[], A3_pos: in i64[], A3_crd: in i32[], A_vals: in f64[], o_vals: out uninit f64[]) {
  reserve(o_vals, 1)
  let t1: i64 = 0
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  t1 = t1 + select(pA1 < A1_end, A1_end - pA1, 0)
  let t: f64 = -inf
  let pA1_3: i64 = A1_pos[0]
  let A1_end_2: i64 = A1_pos[1]
  for pA1_4 in pA1_3..A1_end_2 {
    let t2: i64 = 0
    let t3: f64 = inf
    let pA2_3: i64 = A2_pos[pA1_4]
    let A2_end_2: i64 = A2_pos[pA1_4 + 1]
    for pA2_4 in pA2_3..A2_end_2 {
      let t5: f64 = -inf
      let pA3_3: i64 = A3_pos[pA2_4]
      let A3_end_2: i64 = A3_pos[pA2_4 + 1]
      vector for pA3_4 in pA3_3..A3_end_2 {
        t5 = max(t5, A_vals[pA3_4])
      }
      let t4: i64 = 0
      let pA3_5: i64 = A3_pos[pA2_4]
      let A3_end_3: i64 = A3_pos[pA2_4 + 1]
      t4 = t4 + select(pA3_5 < A3_end_3, A3_end_3 - pA3_5, 0)
      t2 = t2 + 1
      t3 = min(t3, max(t5, select(f64(t4) < f64(k_dim), 0.0, -inf)))
    }
    t = max(t, min(t3, select(f64(t2) < f64(j_dim), select(0.0 < f64(k_dim), 0.0, -inf), inf)))
  }
  o_vals[0] = max(t, select(f64(t1) < f64(i_dim), select(0.0 < f64(j_dim), select(0.0 < f64(k_dim), 0.0, -inf), inf), -inf))
  set_len(o_vals, 1)
}
> counts
loads 38, stores 1, branches 39, rounds 19
> out
o = 2
