# The first place of the smallest value of a row; of values that are not stored the first gap has it.
tensor A f64[5,6] csr = (0,1):-2 (0,4):-2 (1,0):3 (1,1):1 (2,0):4 (2,1):3 (2,2):2 (2,3):1 (2,4):5 (2,5):1 (3,3):nan (3,5):nan
expr y(i) = argmin(j, A(i,j))
> cin
forall i (y(i) = t - 1) where (((forall j t choose= where((A(i,j) == with_fill(min, t1, t2, 0.0, j1)) | (A(i,j) != A(i,j)), j + 1, 0)) where (forall j1 t1 min= stored(A(i,j1)))) where (forall j1 t2 += stored(A(i,j1), 1)))
> graph
i over the dimension
  where t
    where t2
      j1 over A(i,j1).2
        t2 += stored(A(i,j1), 1)
    then
      where t1
        j1 over A(i,j1).2
          t1 min= stored(A(i,j1))
      then
        j over the dimension, between A(i,j).2, until t is not 0
          in A(i,j).2
            t choose= where((A(i,j) == with_fill(min, t1, t2, 0.0, j1)) | (A(i,j) != A(i,j)), j + 1, 0)
          in none
            t choose= where(0.0 == with_fill(min, t1, t2, 0.0, j1), j + 1, 0)
  then
    y(i) = t - 1
> loops
kernel kernel(i_dim: i64, j_dim: i64, j1_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], y_vals: out uninit i64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: i64 = 0
    let t2: i64 = 0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    t2 = t2 + select(pA2 < A2_end, A2_end - pA2, 0)
    let t1: f64 = inf
    let pA2_3: i64 = A2_pos[i]
    let A2_end_2: i64 = A2_pos[i + 1]
    vector for pA2_4 in pA2_3..A2_end_2 {
      t1 = min(t1, A_vals[pA2_4])
    }
    let pA2_5: i64 = A2_pos[i]
    let A2_end_3: i64 = A2_pos[i + 1]
    let j_at: i64 = 0
    let inv: f64 = min(t1, select(f64(t2) < f64(j1_dim), 0.0, inf))
    while j_at < j_dim {
      let jA: i64 = j_dim
      if pA2_5 < A2_end_3 {
        jA = i64(A2_crd[pA2_5])
      }
      let j: i64 = jA
      if j_at < j {
        if 0.0 == inv {
          for j_2 in j_at..j {
            if 0.0 == inv {
              t = select(t != 0, t, j_2 + 1)
              if t != 0 {
                break
              }
            }
          }
        }
        if t != 0 {
          break
        }
      }
      if j < j_dim {
        let has: bool = jA == j
        if (A_vals[pA2_5] == inv) | (A_vals[pA2_5] != A_vals[pA2_5]) {
          t = select(t != 0, t, j + 1)
          if t != 0 {
            break
          }
        }
        pA2_5 = pA2_5 + i64(has)
      }
      j_at = j + 1
    }
    y_vals[i_shift + i] = t - 1
  }
  set_len(y_vals, i_part)
}
> counts
loads 74, stores 5, branches 98, rounds 22
> out all-backends
y = 1 2 3 3 0
