# Figure 4-6: the sum of CSR and a COO matrix without empty rows into dense.
tensor B f64[3,4] csr = (0,0):5 (0,1):1 (2,0):8 (2,3):4
tensor C f64[3,4] "(i,j) -> (i,j) : compressed(nonunique,full), singleton" = (0,1):2 (1,1):3 (2,0):4 (2,2):5
result A f64 dense
expr A(i,j) = B(i,j) + C(i,j)
> cin
forall i forall j A(i,j) = B(i,j) + C(i,j)
> graph
i over C(i,j).1
  j over regions of B(i,j).2, C(i,j).2
    in B(i,j).2 & C(i,j).2
      A(i,j) = B(i,j) + C(i,j)
    in B(i,j).2
      A(i,j) = B(i,j)
    in C(i,j).2
      A(i,j) = C(i,j)
> lattice j
produce B(i,j).2 & C(i,j).2
produce B(i,j).2
produce C(i,j).2
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C1_pos: in i64[], C1_crd: in i32[], C2_crd: in i32[], C_vals: in f64[], A_vals: out f64[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(A_vals, i_part * j_dim)
  let pC1: i64 = C1_pos[0]
  let C1_end: i64 = C1_pos[1]
  let i_stop: i64 = C1_end
  if 0 < i_begin {
    let first: i64 = pC1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(C1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pC1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pC1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(C1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  while pC1 < i_stop {
    let iC: i64 = i64(C1_crd[pC1])
    let run: i64 = pC1
    run = pC1 + 1
    while run < i_stop && i64(C1_crd[run]) == iC {
      run = run + 1
    }
    let A2_base: i64 = (i_shift + iC) * j_dim
    let pB2: i64 = B2_pos[iC]
    let B2_end: i64 = B2_pos[iC + 1]
    let pC2: i64 = pC1
    while pB2 < B2_end && pC2 < run {
      let jB: i64 = i64(B2_crd[pB2])
      let jC: i64 = i64(C2_crd[pC2])
      let j: i64 = min(jB, jC)
      if jB == jC {
        A_vals[A2_base + j] = B_vals[pB2] + C_vals[pC2]
        pB2 = pB2 + 1
        pC2 = pC2 + 1
      } else {
        if jB < jC {
          A_vals[A2_base + j] = B_vals[pB2]
          pB2 = pB2 + 1
        } else {
          A_vals[A2_base + j] = C_vals[pC2]
          pC2 = pC2 + 1
        }
      }
    }
    vector for pB2_2 in pB2..B2_end {
      let j_2: i64 = i64(B2_crd[pB2_2])
      A_vals[A2_base + j_2] = B_vals[pB2_2]
    }
    vector for pC2_2 in pC2..run {
      let j_3: i64 = i64(C2_crd[pC2_2])
      A_vals[A2_base + j_3] = C_vals[pC2_2]
    }
    pC1 = run
  }
  set_len(A_vals, i_part * j_dim)
}
> counts
loads 32, stores 6, branches 42, rounds 10
> out
A = 5 3 0 0 0 3 0 0 12 0 5 4
