# A row of a product in a list workspace; rows 1 and 3 are empty.
tensor B f64[5,5] csr = (0,0):4 (0,4):4 (2,1):4 (2,2):3 (2,3):1 (2,4):4 (4,4):2
tensor C f64[5,6] csr = (0,1):4 (0,2):1 (0,3):4 (0,4):1 (1,0):2 (1,2):2 (1,3):2 (2,0):2 (2,3):3 (3,0):3 (3,1):1 (3,4):3 (4,1):4 (4,3):3 (4,5):3
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, list)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[list] (forall k forall j w(j) += B(i,k) * C(k,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, k_dim: i64, i_begin: i64, i_end: i64, B2_pos: in i64[], B2_crd: in i32[], B_vals: in f64[], C2_pos: in i64[], C2_crd: in i32[], C_vals: in f64[], A2_pos: out i64[], A2_crd: out i32[], A_vals: out f64[], w1_pos: temp i64[], w1_crd: temp i64[], w_vals: temp f64[], w_slots: temp f64[], w_marks: temp u8[], w_list: temp i64[], w_spare: temp i64[], w_buckets: temp i64[]) {
  reserve(w_slots, j_dim)
  reserve(w_marks, j_dim)
  reserve(w_list, j_dim + 1)
  let w_len: i64 = 0
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
        w_list[w_len] = j
        w_len = w_len + (1 - i64(w_marks[j]))
        w_marks[j] = u8(1)
        w_slots[j] += value
      }
    }
    if w_len <= 48 {
      for q in 1..w_len {
        let x: i64 = w_list[q]
        let p: i64 = q
        while 0 < p && x < w_list[p - 1] {
          w_list[p] = w_list[p - 1]
          p = p - 1
        }
        w_list[p] = x
      }
    } else {
      reserve(w_spare, w_len)
      reserve(w_buckets, 256)
      let shift: i64 = 0
      while shift < 63 && 0 < shr(j_dim - 1, shift) {
        for byte in 0..256 {
          w_buckets[byte] = 0
        }
        for q_2 in 0..w_len {
          w_buckets[shr(w_list[q_2], shift) & 255] += 1
        }
        let sum: i64 = 0
        for byte in 0..256 {
          let n: i64 = w_buckets[byte]
          w_buckets[byte] = sum
          sum = sum + n
        }
        for q_2 in 0..w_len {
          let byte: i64 = shr(w_list[q_2], shift) & 255
          let at: i64 = w_buckets[byte]
          w_buckets[byte] = at + 1
          w_spare[at] = w_list[q_2]
        }
        for q_2 in 0..w_len {
          w_list[q_2] = w_spare[q_2]
        }
        shift = shift + 8
      }
    }
    reserve(A2_crd, pA2 + w_len)
    reserve(A_vals, pA2 + w_len)
    for q_3 in 0..w_len {
      let at_2: i64 = w_list[q_3]
      let value_2: f64 = w_slots[at_2]
      w_slots[at_2] = 0.0
      w_marks[at_2] = u8(0)
      A_vals[pA2] = value_2
      A2_crd[pA2] = i32(at_2)
      pA2 = pA2 + 1
    }
    w_len = 0
    A2_pos[i_shift + i + 1] = pA2
  }
  set_len(A2_pos, i_part + 1)
  set_len(A2_crd, pA2)
  set_len(A_vals, pA2)
}
> out
A = (0,1):32 (0,2):4 (0,3):28 (0,4):4 (0,5):12 (2,0):17 (2,1):17 (2,2):8 (2,3):29 (2,4):3 (2,5):12 (4,1):8 (4,3):6 (4,5):6
