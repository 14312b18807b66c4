# Of a row of the product only what the mask's row has is kept: its coordinates get slots first; an empty one computes nothing.
tensor M f64[4,5] csr = (0,1):2 (0,4):3 (1,0):1 (3,2):-1 (3,3):5
tensor A f64[4,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,0):4 (3,2):5
tensor B f64[3,5] csr = (0,1):1 (0,2):2 (1,3):3 (2,2):4 (2,4):5
result C csr
expr C(i,k) = M(i,k) * sum(j, A(i,j) * B(j,k))
> cin
forall i (forall k C(i,k) = M(i,k) * t(k)) where (forall j forall k t(k) += A(i,j) * B(j,k))
> graph
C(i,k).1 located, C(i,k).2 appended
i over the dimension
  where t in slots, marked by M(i,k).2
    j over A(i,j).2
      k over B(j,k).2
        t(k) += A(i,j) * B(j,k), inserted
  then
    k over M(i,k).2, looked up in t(k).1, with room for all
      C(i,k) = M(i,k) * t(k), appended
> loops
kernel kernel(i_dim: i64, k_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, M2_pos: in i64[], M2_crd: in i32[], M_vals: in f64[], A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: out i64[], C2_crd: out uninit i32[], C_vals: out uninit f64[], t1_pos: temp i64[], t1_crd: temp i64[], t_vals: temp f64[], t_numbers: temp kept i64[], t_slots: temp kept f64[], t_taken: temp kept u8[]) {
  reserve(t_numbers, k_dim)
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pC2: i64 = 0
  reserve(C2_pos, i_part + 1)
  C2_pos[0] = 0
  for i in i_begin..i_end {
    let pM2: i64 = M2_pos[i]
    let M2_end: i64 = M2_pos[i + 1]
    if pM2 < M2_end {
      reserve(t_slots, M2_end - pM2 + 16)
      reserve(t_taken, M2_end - pM2 + 16)
      for q in pM2..M2_end {
        let at: i64 = i64(M2_crd[q])
        let slot: i64 = q - pM2 + 16
        t_numbers[at] = slot
        t_taken[slot] = u8(0)
        t_slots[slot] = 0.0
      }
      let pA2: i64 = A2_pos[i]
      let A2_end: i64 = A2_pos[i + 1]
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
    let pM2_2: i64 = M2_pos[i]
    let M2_end_2: i64 = M2_pos[i + 1]
    reserve(C2_crd, pC2 + (M2_end_2 - pM2_2))
    reserve(C_vals, pC2 + (M2_end_2 - pM2_2))
    for pM2_3 in pM2_2..M2_end_2 {
      let k_2: i64 = i64(M2_crd[pM2_3])
      let slot_3: i64 = t_numbers[k_2]
      if i64(t_taken[slot_3]) != 0 {
        C_vals[pC2] = M_vals[pM2_3] * t_slots[slot_3]
        C2_crd[pC2] = i32(k_2)
        pC2 = pC2 + 1
      }
    }
    for q_2 in pM2..M2_end {
      let at_2: i64 = i64(M2_crd[q_2])
      t_numbers[at_2] = 0
    }
    C2_pos[i_shift + i + 1] = pC2
  }
  set_len(C2_pos, i_part + 1)
  set_len(C2_crd, pC2)
  set_len(C_vals, pC2)
}
> counts
loads 97, stores 45, branches 64, rounds 33
> out
C = (0,1):2 (0,4):30 (3,2):-20
