# Words of two bitmaps are combined; a bit tells whose value is there.
tensor a bool[70] "(i) -> (i) : bitmap" = (0):true (3):true (65):true (66):false
tensor b bool[70] "(i) -> (i) : bitmap" = (3):true (4):true (66):true (69):true
result y bool dense
expr y(i) = a(i) | b(i)
> graph
i over words of a(i).1, b(i).1
  in a(i).1 & b(i).1
    y(i) = a(i) | b(i)
  in a(i).1
    y(i) = a(i)
  in b(i).1
    y(i) = b(i)
> loops
kernel kernel(i_dim: i64, a1_bits: in i64[], a_vals: in bool[], b1_bits: in i64[], b_vals: in bool[], y_vals: out bool[]) {
  reserve(y_vals, i_dim)
  for w in 0..shr(i_dim + 63, 6) {
    let a_word: i64 = a1_bits[w]
    let b_word: i64 = b1_bits[w]
    let m: i64 = b_word | a_word
    let inv: i64 = w * 64
    while m != 0 {
      let b: i64 = inv + ctz(m)
      let lowest: i64 = m & 0 - m
      let has: bool = a_word & lowest != 0
      let has_2: bool = b_word & lowest != 0
      if has && has_2 {
        y_vals[b] = a_vals[b] | b_vals[b]
      } else {
        if has {
          y_vals[b] = a_vals[b]
        } else {
          y_vals[b] = b_vals[b]
        }
      }
      m = m & m - 1
    }
  }
  set_len(y_vals, i_dim)
}
> counts
loads 12, stores 6, branches 29, rounds 9
> out
y = (0):true (3):true (4):true (65):true (66):true (69):true
