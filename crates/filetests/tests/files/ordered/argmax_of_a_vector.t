# The largest first, then the first place of it.
tensor x f32[7] dense = 0 3 nan 5 0 nan 7
expr y = argmax(j, x(j))
> loops
kernel kernel(j_dim: i64, j1_dim: i64, x_vals: in f32[], y_vals: out uninit i64[]) {
  reserve(y_vals, 1)
  let t: i64 = 0
  let t1: f32 = f32(-inf)
  vector for j1 in 0..j1_dim {
    t1 = max(t1, x_vals[j1])
  }
  for stretch in 0..j_dim step 128 {
    let stretch_end: i64 = min(stretch + 128, j_dim)
    let hit: bool = false
    vector for j in stretch..stretch_end {
      hit = hit | ((x_vals[j] == t1) | (x_vals[j] != x_vals[j]))
    }
    if hit {
      for j in stretch..stretch_end {
        if (x_vals[j] == t1) | (x_vals[j] != x_vals[j]) {
          t = select(t != 0, t, j + 1)
          if t != 0 {
            break
          }
        }
      }
    }
    if t != 0 {
      break
    }
  }
  y_vals[0] = t - 1
  set_len(y_vals, 1)
}
> counts
loads 37, stores 1, branches 33, rounds 18
> out all-backends
y = 2
