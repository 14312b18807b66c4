# A union that is added up: steps stand in its cases, one for each way in which the coordinates compare.
tensor A f64[3,6] csr = (0,0):1 (0,2):2 (0,5):3 (1,1):4 (2,3):-5
tensor B f64[3,6] csr = (0,2):6 (0,3):7 (2,3):5 (2,4):8
tensor x f64[6] dense = 1 2 3 4 5 6
expr y(i) = (A(i,j) + B(i,j)) * x(j)
> graph
i over the dimension
  where t
    j over regions of A(i,j).2, B(i,j).2
      in A(i,j).2 & B(i,j).2
        t += (A(i,j) + B(i,j)) * x(j)
      in A(i,j).2
        t += A(i,j) * x(j)
      in B(i,j).2
        t += B(i,j) * x(j)
  then
    y(i) = t
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], x_vals: in f64[], y_vals: out uninit f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: f64 = 0.0
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    while pA2 < A2_end && pB2 < B2_end {
      let jA: i64 = i64(A2_crd[pA2])
      let jB: i64 = i64(B2_crd[pB2])
      let j: i64 = min(jA, jB)
      if jA == jB {
        t = t + fused(A_vals[pA2] + B_vals[pB2], x_vals[j])
        pA2 = pA2 + 1
        pB2 = pB2 + 1
      } else {
        if jA < jB {
          t = t + fused(A_vals[pA2], x_vals[j])
          pA2 = pA2 + 1
        } else {
          t = t + fused(B_vals[pB2], x_vals[j])
          pB2 = pB2 + 1
        }
      }
    }
    vector for pA2_2 in pA2..A2_end {
      let j_2: i64 = i64(A2_crd[pA2_2])
      t = t + fused(A_vals[pA2_2], x_vals[j_2])
    }
    vector for pB2_2 in pB2..B2_end {
      let j_3: i64 = i64(B2_crd[pB2_2])
      t = t + fused(B_vals[pB2_2], x_vals[j_3])
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 39, stores 3, branches 47, rounds 11
> out
y = 71 8 40
