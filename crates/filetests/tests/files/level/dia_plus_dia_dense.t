# Formats that compute the same coordinates are merged level by level.
tensor A f64[3,4] dia = (0,0):1 (1,1):2 (2,2):3 (0,2):4 (1,3):5
tensor B f64[3,4] dia = (0,0):6 (1,1):7 (1,0):8 (2,1):9
result C f64 dense
expr C(i,j) = A(i,j) + B(i,j)
> cin
forall d forall i forall j C(i,j) = A(d,i,j) + B(d,i,j)
> lattice d
produce A(d,i,j).1 & B(d,i,j).1
produce A(d,i,j).1
produce B(d,i,j).1
> loops
kernel kernel(i_dim: i64, j_dim: i64, d_dim: i64, d_low: i64, A1_count: in i64[], A1_perm: in i32[], A_vals: in f64[], B1_count: in i64[], B1_perm: in i32[], B_vals: in f64[], C_vals: out f64[]) {
  let A1_count_2: i64 = A1_count[0]
  let B1_count_2: i64 = B1_count[0]
  reserve(C_vals, i_dim * j_dim)
  let pA1: i64 = 0
  let pB1: i64 = 0
  while pA1 < A1_count_2 && pB1 < B1_count_2 {
    let dA: i64 = i64(A1_perm[pA1])
    let dB: i64 = i64(B1_perm[pB1])
    let d: i64 = min(dA, dB)
    if dA == dB {
      let A2_base: i64 = pA1 * i_dim
      let pA2: i64 = pA1 * i_dim + max(0, 0 - d)
      let A2_end: i64 = pA1 * i_dim + min(i_dim, 0 - d + j_dim)
      let i_first: i64 = pA2 - A2_base
      let shift: i64 = pA2 - i_first
      let i_end: i64 = A2_end - A2_base
      let inv: i64 = pB1 * i_dim
      vector for i in i_first..i_end {
        let pA2_2: i64 = i + shift
        let pB2: i64 = inv + i
        let C2_base: i64 = i * j_dim
        let j: i64 = d + i
        C_vals[C2_base + j] = A_vals[pA2_2] + B_vals[pB2]
      }
      pA1 = pA1 + 1
      pB1 = pB1 + 1
    } else {
      if dA < dB {
        let A2_base_2: i64 = pA1 * i_dim
        let pA2_3: i64 = pA1 * i_dim + max(0, 0 - d)
        let A2_end_2: i64 = pA1 * i_dim + min(i_dim, 0 - d + j_dim)
        let i_first_2: i64 = pA2_3 - A2_base_2
        let shift_2: i64 = pA2_3 - i_first_2
        let i_end_2: i64 = A2_end_2 - A2_base_2
        vector for i_2 in i_first_2..i_end_2 {
          let pA2_4: i64 = i_2 + shift_2
          let C2_base_2: i64 = i_2 * j_dim
          let j_2: i64 = d + i_2
          C_vals[C2_base_2 + j_2] = A_vals[pA2_4]
        }
        pA1 = pA1 + 1
      } else {
        let B2_base: i64 = pB1 * i_dim
        let pB2_2: i64 = pB1 * i_dim + max(0, 0 - d)
        let B2_end: i64 = pB1 * i_dim + min(i_dim, 0 - d + j_dim)
        let i_first_3: i64 = pB2_2 - B2_base
        let shift_3: i64 = pB2_2 - i_first_3
        let i_end_3: i64 = B2_end - B2_base
        vector for i_3 in i_first_3..i_end_3 {
          let pB2_3: i64 = i_3 + shift_3
          let C2_base_3: i64 = i_3 * j_dim
          let j_3: i64 = d + i_3
          C_vals[C2_base_3 + j_3] = B_vals[pB2_3]
        }
        pB1 = pB1 + 1
      }
    }
  }
  for pA1_2 in pA1..A1_count_2 {
    let d_2: i64 = i64(A1_perm[pA1_2])
    let A2_base_3: i64 = pA1_2 * i_dim
    let pA2_5: i64 = pA1_2 * i_dim + max(0, 0 - d_2)
    let A2_end_3: i64 = pA1_2 * i_dim + min(i_dim, 0 - d_2 + j_dim)
    let i_first_4: i64 = pA2_5 - A2_base_3
    let shift_4: i64 = pA2_5 - i_first_4
    let i_end_4: i64 = A2_end_3 - A2_base_3
    vector for i_4 in i_first_4..i_end_4 {
      let pA2_6: i64 = i_4 + shift_4
      let C2_base_4: i64 = i_4 * j_dim
      let j_4: i64 = d_2 + i_4
      C_vals[C2_base_4 + j_4] = A_vals[pA2_6]
    }
  }
  for pB1_2 in pB1..B1_count_2 {
    let d_3: i64 = i64(B1_perm[pB1_2])
    let B2_base_2: i64 = pB1_2 * i_dim
    let pB2_4: i64 = pB1_2 * i_dim + max(0, 0 - d_3)
    let B2_end_2: i64 = pB1_2 * i_dim + min(i_dim, 0 - d_3 + j_dim)
    let i_first_5: i64 = pB2_4 - B2_base_2
    let shift_5: i64 = pB2_4 - i_first_5
    let i_end_5: i64 = B2_end_2 - B2_base_2
    vector for i_5 in i_first_5..i_end_5 {
      let pB2_5: i64 = i_5 + shift_5
      let C2_base_5: i64 = i_5 * j_dim
      let j_5: i64 = d_3 + i_5
      C_vals[C2_base_5 + j_5] = B_vals[pB2_5]
    }
  }
  set_len(C_vals, i_dim * j_dim)
}
> counts
loads 17, stores 7, branches 27, rounds 11
> out
C = 7 0 4 0 8 9 0 5 0 9 3 0
