# One run of the operand appends many values: room for each of them is made.
tensor A f64[40] rle = (0):1 (1):1 (2):1 (3):1 (4):1 (5):1 (6):1 (7):1 (8):1 (20):2 (21):2
result B f64 sv
expr B(i) = A(i)
> loops
kernel kernel(i_dim: i64, A1_pos: in i64[], A1_crd: in i32[], A_vals: in f64[], B1_pos: out i64[], B1_crd: out uninit i32[], B_vals: out uninit f64[]) {
  let pB1: i64 = 0
  reserve(B1_pos, 2)
  B1_pos[0] = 0
  let A1_at: i64 = 0
  let pA1: i64 = A1_pos[0]
  let A1_end: i64 = A1_pos[1]
  for r in pA1..A1_end {
    let i_end: i64 = i64(A1_crd[r])
    if A_vals[r] != 0.0 {
      for i in A1_at..i_end {
        let value: f64 = A_vals[r]
        if value != 0.0 {
          reserve(B1_crd, pB1 + 1)
          reserve(B_vals, pB1 + 1)
          B_vals[pB1] = value
          B1_crd[pB1] = i32(i)
          pB1 = pB1 + 1
        }
      }
    }
    A1_at = i_end
  }
  B1_pos[1] = pB1
  set_len(B1_pos, 2)
  set_len(B1_crd, pB1)
  set_len(B_vals, pB1)
}
> counts
loads 21, stores 24, branches 37, rounds 16
> out
B = (0):1 (1):1 (2):1 (3):1 (4):1 (5):1 (6):1 (7):1 (8):1 (20):2 (21):2
