# Elements side by side are asked many at once whether one of them is a value, which is then looked for.
tensor x f64[6] dense = 0 0 0 5 0 7
expr y = choose(j, x(j))
> graph
where t
  j over the dimension, until t is not 0
    t choose= x(j)
then
  y = t
> loops
kernel kernel(j_dim: i64, j_begin: i64, j_end: i64, x_vals: in f64[], y_vals: out uninit f64[]) {
  reserve(y_vals, 1)
  let t: f64 = 0.0
  for stretch in j_begin..j_end step 128 {
    let stretch_end: i64 = min(stretch + 128, j_end)
    let hit: bool = false
    vector for j in stretch..stretch_end {
      hit = hit | (x_vals[j] != 0.0)
    }
    if hit {
      for j in stretch..stretch_end {
        if x_vals[j] != 0.0 {
          t = select(t != 0.0, t, x_vals[j])
          if t != 0.0 {
            break
          }
        }
      }
    }
    if t != 0.0 {
      break
    }
  }
  y_vals[0] = t
  set_len(y_vals, 1)
}
> counts
loads 11, stores 1, branches 23, rounds 10
> out all-backends
y = 5
