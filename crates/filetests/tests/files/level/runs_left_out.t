# Rows that nothing is stored in, and coordinates between what is, become runs of the fill value.
tensor A i32[5,6] dcsr = (1,2):3 (1,3):3 (1,5):4 (3,0):3
result B i32 rle
expr B(i,j) = 2 * A(i,j)
> graph
B(i,j).1 located, B(i,j).2 appended
i over A(i,j).1
  j over A(i,j).2, with room for all
    B(i,j) = i32(2) * A(i,j), appended
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A1_pos: in i64[], A1_crd: in i32[], A2_pos: in i64[], A2_crd: in i32[], A_vals: in i32[], B2_pos: out i64[], B2_crd: out uninit i32[], B_vals: out uninit i32[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  let pB2: i64 = 0
  let B_first: i64 = 0
  let B_now: i64 = 0
  let B_next: i64 = 0
  let B_last: i32 = i32(0)
  reserve(B2_pos, i_part + 1)
  B2_pos[0] = 0
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  let i_stop: i64 = A1_end
  if 0 < i_begin {
    let first: i64 = pA1
    let last: i64 = i_stop
    while first < last {
      let middle: i64 = shr(first + last, 1)
      if i64(A1_crd[middle]) < i_begin {
        first = middle + 1
      } else {
        last = middle
      }
    }
    pA1 = first
  }
  if i_end < i_dim {
    let first_2: i64 = pA1
    let last_2: i64 = i_stop
    while first_2 < last_2 {
      let middle_2: i64 = shr(first_2 + last_2, 1)
      if i64(A1_crd[middle_2]) < i_end {
        first_2 = middle_2 + 1
      } else {
        last_2 = middle_2
      }
    }
    i_stop = first_2
  }
  for pA1_2 in pA1..i_stop {
    let i: i64 = i64(A1_crd[pA1_2])
    for row in B_next..i_shift + i {
      if 0 < j_dim {
        reserve(B2_crd, pB2 + 1)
        reserve(B_vals, pB2 + 1)
        let at: i64 = pB2 - i64((B_first < pB2) & (i32(0) == B_last))
        B_vals[at] = i32(0)
        B2_crd[at] = i32(j_dim)
        pB2 = at + 1
        B_last = i32(0)
      }
      B2_pos[row + 1] = pB2
      B_first = pB2
      B_now = 0
      B_next = row + 1
    }
    let pA2: i64 = A2_pos[pA1_2]
    let A2_end: i64 = A2_pos[pA1_2 + 1]
    reserve(B2_crd, pB2 + (2 * (A2_end - pA2) + 1))
    reserve(B_vals, pB2 + (2 * (A2_end - pA2) + 1))
    for pA2_2 in pA2..A2_end {
      let j: i64 = i64(A2_crd[pA2_2])
      if B_now < j {
        let at_2: i64 = pB2 - i64((B_first < pB2) & (i32(0) == B_last))
        B_vals[at_2] = i32(0)
        B2_crd[at_2] = i32(j)
        pB2 = at_2 + 1
        B_last = i32(0)
      }
      let value: i32 = i32(2) * A_vals[pA2_2]
      let at_3: i64 = pB2 - i64((B_first < pB2) & (value == B_last))
      B_vals[at_3] = value
      B2_crd[at_3] = i32(j + 1)
      pB2 = at_3 + 1
      B_last = value
      B_now = j + 1
    }
    if B_now < j_dim {
      reserve(B2_crd, pB2 + 1)
      reserve(B_vals, pB2 + 1)
      let at_4: i64 = pB2 - i64((B_first < pB2) & (i32(0) == B_last))
      B_vals[at_4] = i32(0)
      B2_crd[at_4] = i32(j_dim)
      pB2 = at_4 + 1
      B_last = i32(0)
    }
    B2_pos[i_shift + i + 1] = pB2
    B_first = pB2
    B_now = 0
    B_next = i_shift + i + 1
  }
  for row_2 in B_next..i_part {
    if 0 < j_dim {
      reserve(B2_crd, pB2 + 1)
      reserve(B_vals, pB2 + 1)
      let at_5: i64 = pB2 - i64((B_first < pB2) & (i32(0) == B_last))
      B_vals[at_5] = i32(0)
      B2_crd[at_5] = i32(j_dim)
      pB2 = at_5 + 1
      B_last = i32(0)
    }
    B2_pos[row_2 + 1] = pB2
    B_first = pB2
    B_now = 0
    B_next = row_2 + 1
  }
  set_len(B2_pos, i_part + 1)
  set_len(B2_crd, pB2)
  set_len(B_vals, pB2)
}
> counts
loads 16, stores 26, branches 30, rounds 11
> out
B = (1,2):6 (1,3):6 (1,5):8 (3,0):6
