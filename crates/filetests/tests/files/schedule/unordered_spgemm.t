# Rows of the result may come in any order, so the workspace lists its coordinates and nothing sorts them.
tensor B f64[4,5] csr = (2,1):4 (2,3):1 (3,0):4 (3,2):1 (3,4):2
tensor C f64[5,6] csr = (0,1):4 (0,2):1 (0,3):4 (0,4):1 (1,0):2 (1,2):2 (1,3):2 (2,0):2 (2,3):3 (3,0):3 (3,1):1 (3,4):3 (4,1):4 (4,3):3 (4,5):3
result A f64 "(i,j) -> (i,j) : dense, compressed(unordered)"
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = t(j)) where (forall k forall j t(j) += B(i,k) * C(k,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out uninit i32[], A_vals: out uninit f64[], t1_pos: temp i64[], t1_crd: temp i64[], t_vals: temp f64[], t_slots: temp kept f64[], t_marks: temp kept u8[], t_list: temp kept i64[], t_bits0: temp kept i64[], t_bits1: temp kept i64[], t_bits2: temp kept i64[]) {
  reserve(t_slots, j_dim)
  reserve(t_marks, j_dim)
  reserve(t_list, j_dim + 1)
  let t_len: i64 = 0
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pA2: i64 = 0
  reserve(A2_pos, i_part + 1)
  A2_pos[0] = 0
  for i in i_begin..i_end {
    let pB2: i64 = B2_pos[i]
    let B2_end: i64 = B2_pos[i + 1]
    for pB2_2 in pB2..B2_end {
      let k: i64 = i64(B2_crd[pB2_2])
      let b_val: f64 = B_vals[pB2_2]
      let pC2: i64 = C2_pos[k]
      let C2_end: i64 = C2_pos[k + 1]
      for pC2_2 in pC2..C2_end {
        let j: i64 = i64(C2_crd[pC2_2])
        let value: f64 = b_val * C_vals[pC2_2]
        t_list[t_len] = j
        t_len = t_len + (1 - i64(t_marks[j]))
        t_marks[j] = u8(1)
        t_slots[j] += value
      }
    }
    reserve(A2_crd, pA2 + t_len)
    reserve(A_vals, pA2 + t_len)
    for q in 0..t_len {
      let at: i64 = t_list[q]
      let value_2: f64 = t_slots[at]
      t_slots[at] = 0.0
      t_marks[at] = u8(0)
      A_vals[pA2] = value_2
      A2_crd[pA2] = i32(at)
      pA2 = pA2 + 1
    }
    t_len = 0
    A2_pos[i_shift + i + 1] = pA2
  }
  set_len(A2_pos, i_part + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> counts
loads 110, stores 94, branches 53, rounds 37
> out
A = (2,0):11 (2,1):1 (2,2):8 (2,3):8 (2,4):3 (3,0):2 (3,1):24 (3,2):4 (3,3):25 (3,4):4 (3,5):6
