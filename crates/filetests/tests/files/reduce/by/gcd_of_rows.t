# Of unsigned integers; 0 leaves the others as they are.
tensor A u32[4,3] csr = (0,0):12 (0,2):18 (1,1):7 (2,0):1 (2,1):9
expr y(i) = gcd(j, A(i,j))
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in u32[], y_vals: out uninit u32[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: u32 = u32(0)
    let pA2: i64 = A2_pos[i]
    let A2_end: i64 = A2_pos[i + 1]
    vector for pA2_2 in pA2..A2_end {
      t = gcd(t, A_vals[pA2_2])
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 13, stores 4, branches 16, rounds 10
> out
y = 6 7 1 0
