# The words of a bitmap.
tensor A bool[2,70] "(i,j) -> (i,j) : dense, bitmap" = (0,3):true (0,66):true (1,69):true
tensor x bool[70] dense = (66):true (69):true
expr y(i) = any(j, A(i,j) & x(j))
> graph
i over the dimension
  where t
    j over words of A(i,j).2, until t is true
      t |= A(i,j) & x(j)
  then
    y(i) = t
> loops
kernel kernel(i_dim: i64, j_dim: i64, i_begin: i64, i_end: i64, A2_bits: in i64[], A_vals: in bool[], x_vals: in bool[], y_vals: out uninit bool[]) {
  let i_shift: i64 = 0 - i_begin
  let i_part: i64 = i_end - i_begin
  reserve(y_vals, i_part)
  for i in i_begin..i_end {
    let t: bool = false
    let A2_word: i64 = i * shr(j_dim + 63, 6)
    let A2_base: i64 = i * j_dim
    for w in 0..shr(j_dim + 63, 6) {
      let m: i64 = A2_bits[A2_word + w]
      let inv: i64 = w * 64
      while m != 0 {
        let b: i64 = inv + ctz(m)
        let pA: i64 = A2_base + b
        if A_vals[pA] & x_vals[b] {
          t = true
          break
        }
        m = m & m - 1
      }
      if t {
        break
      }
    }
    y_vals[i_shift + i] = t
  }
  set_len(y_vals, i_part)
}
> counts
loads 10, stores 2, branches 23, rounds 7
> out
y = true true
