# Elements of one row share its cursor, so they are placed one after the other.
tensor A f64[2,9] csc = (0,0):5 (0,1):1 (0,2):7 (0,3):2 (0,4):8 (0,5):3 (1,8):4
result B f64 "(i,j) -> (i,j) : dense, compressed(unordered)"
expr B(i,j) = A(i,j)
> loops
kernel kernel(i_dim: i64, j_dim: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], B2_pos: out uninit i64[], B2_crd: out uninit i32[], B_vals: out uninit f64[], Q1_vals: temp u32[]) {
  reserve(Q1_vals, i_dim)
  if 0 < j_dim {
    let begin: i64 = A2_pos[0]
    let end: i64 = A2_pos[j_dim]
    vector for pA2_2 in begin..end {
      let i: i64 = i64(A2_crd[pA2_2])
      Q1_vals[i] += u32(1)
    }
  }
  reserve(B2_pos, i_dim + 1)
  B2_pos[0] = 0
  let slots: i64 = 0
  for p in 0..i_dim {
    let n: i64 = i64(Q1_vals[p])
    Q1_vals[p] = u32(slots)
    slots = slots + n
    B2_pos[p + 1] = slots
  }
  reserve(B2_crd, slots)
  reserve(B_vals, slots)
  for j_2 in 0..j_dim {
    let pA2_3: i64 = A2_pos[j_2]
    let A2_end_2: i64 = A2_pos[j_2 + 1]
    for pA2_4 in pA2_3..A2_end_2 {
      let i_2: i64 = i64(A2_crd[pA2_4])
      let slot: i64 = i64(Q1_vals[i_2])
      Q1_vals[i_2] = u32(slot + 1)
      B2_crd[slot] = i32(j_2)
      B_vals[slot] = A_vals[pA2_4]
    }
  }
  set_len(B2_pos, i_dim + 1)
  set_len(B2_crd, slots)
  set_len(B_vals, slots)
}
> counts
loads 57, stores 33, branches 44, rounds 28
> out
B = (0,0):5 (0,1):1 (0,2):7 (0,3):2 (0,4):8 (0,5):3 (1,8):4
