# A mask as a list of coordinates, whose rows are runs of positions.
tensor M f64[4,5] coo = (0,1):2 (0,4):3 (1,0):1 (3,2):-1 (3,3):5
tensor A f64[4,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,0):4 (3,2):5
tensor B f64[3,5] csr = (0,1):1 (0,2):2 (1,3):3 (2,2):4 (2,4):5
result C csr
expr C(i,k) = M(i,k) * sum(j, A(i,j) * B(j,k))
> graph
C(i,k).1 located, C(i,k).2 appended
i over M(i,k).1
  where t in slots, marked by M(i,k).2
    j over A(i,j).2
      k over B(j,k).2
        t(k) += A(i,j) * B(j,k), inserted
  then
    k over M(i,k).2, looked up in t(k).1, with room for all
      C(i,k) = M(i,k) * t(k), appended
> loops
kernel kernel(i_dim: i64, k_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, M1_pos: in i64[], M1_crd: in i32[], M2_crd: in i32[], M_vals: in f64[], A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[], t1_pos: temp i64[], t1_crd: temp i64[], t_vals: temp f64[], t_numbers: temp kept i64[], t_slots: temp kept f64[], t_taken: temp kept u8[]) {
  reserve(t_numbers, k_dim)
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  let pM1: i64 = M1_pos[0]
  let M1_end: i64 = M1_pos[1]
  let i_stop: i64 = M1_end
  if 0 < i_begin {
    let first: i64 = pM1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(M1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pM1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pM1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(M1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  while pM1 < i_stop {
    let iM: i64 = i64(M1_crd[pM1])
    let run: i64 = pM1
    run = pM1 + 1
    while run < i_stop && i64(M1_crd[run]) == iM {
      run = run + 1
    }
    let pM2: i64 = pM1
    if pM2 < run {
      reserve(t_slots, run - pM2 + 16)
      reserve(t_taken, run - pM2 + 16)
      for q in pM2..run {
        let at: i64 = i64(M2_crd[q])
        let slot: i64 = q - pM2 + 16
        t_numbers[at] = slot
        t_taken[slot] = u8(0)
        t_slots[slot] = 0.0
      }
      let pA2: i64 = A2_pos[iM]
      let A2_end: i64 = A2_pos[iM + 1]
      for pA2_2 in pA2..A2_end {
        let j: i64 = i64(A2_crd[pA2_2])
        let a_val: f64 = A_vals[pA2_2]
        let pB2: i64 = B2_pos[j]
        let B2_end: i64 = B2_pos[j + 1]
        for pB2_2 in pB2..B2_end {
          let k: i64 = i64(B2_crd[pB2_2])
          let value: f64 = a_val * B_vals[pB2_2]
          let slot_2: i64 = max(t_numbers[k], k & 15)
          t_slots[slot_2] += value
          t_taken[slot_2] = u8(1)
        }
      }
    }
    let pM2_2: i64 = pM1
    reserve(C2_crd, pC2 + (run - pM2_2))
    reserve(C_vals, pC2 + (run - pM2_2))
    for pM2_3 in pM2_2..run {
      let k_2: i64 = i64(M2_crd[pM2_3])
      let slot_3: i64 = t_numbers[k_2]
      if i64(t_taken[slot_3]) != 0 {
        C_vals[pC2] = M_vals[pM2_3] * t_slots[slot_3]
        C2_crd[pC2] = i32(k_2)
        pC2 = pC2 + 1
      }
    }
    for q_2 in pM2..run {
      let at_2: i64 = i64(M2_crd[q_2])
      t_numbers[at_2] = 0
    }
    C2_pos[i_shift + iM + 1] = pC2
    pM1 = run
  }
  for q_3 in 0..i_part {
    if C2_pos[q_3 + 1] < C2_pos[q_3] {
      C2_pos[q_3 + 1] = C2_pos[q_3]
    }
  }
  set_len(C2_pos, i_part + 1)
  set_len(C2_crd, pC2)
  set_len(C_vals, pC2)
}
> counts
loads 99, stores 45, branches 83, rounds 39
> out
C = (0,1):2 (0,4):30 (3,2):-20
