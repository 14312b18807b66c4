# Words of two bitmaps are combined; a bit tells whose value is there.
tensor a bool[70] "(i) -> (i) : bitmap" = (0):true (3):true (65):true (66):false
tensor b bool[70] "(i) -> (i) : bitmap" = (3):true (4):true (66):true (69):true
expr y(i) = a(i) ^ b(i)
> graph
y(i).1 appended
i over words of a(i).1, b(i).1, with room for all
  at fill values in a(i).1 & b(i).1
    y(i) = a(i) ^ b(i), appended unless it is the fill value
  in a(i).1
    y(i) = a(i), appended unless it settles at the fill value
  in b(i).1
    y(i) = b(i), appended unless it settles at the fill value
> loops
kernel kernel(i_dim: i64, a1_bits: in i64[], a_vals: in bool[], b1_bits: in i64[], b_vals: in bool[], y1_pos: out i64[], y1_crd: out uninit i32[], y_vals: out uninit bool[]) {
  let py1: i64 = 0
  reserve(y1_pos, 2)
  y1_pos[0] = 0
  reserve(y1_crd, py1 + i_dim)
  reserve(y_vals, py1 + i_dim)
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
        let value: bool = a_vals[b] ^ b_vals[b]
        if value != false {
          y_vals[py1] = value
          y1_crd[py1] = i32(b)
          py1 = py1 + 1
        }
      } else {
        if has {
          let value_2: bool = a_vals[b]
          if value_2 != false {
            y_vals[py1] = value_2
            y1_crd[py1] = i32(b)
            py1 = py1 + 1
          }
        } else {
          let value_3: bool = b_vals[b]
          if value_3 != false {
            y_vals[py1] = value_3
            y1_crd[py1] = i32(b)
            py1 = py1 + 1
          }
        }
      }
      m = m & m - 1
    }
  }
  y1_pos[1] = py1
  set_len(y1_pos, 2)
  set_len(y1_crd, py1)
  set_len(y_vals, py1)
}
> counts
loads 12, stores 12, branches 35, rounds 9
> out
y = (0):true (4):true (65):true (66):true (69):true
