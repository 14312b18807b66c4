# Rounds in vectors run on for a while.
tensor x bool[5] dense = true true false true true
expr y = all(i, x(i))
> graph
where t
  i over the dimension, until t is false
    t &= x(i)
then
  y = t
> loops
kernel kernel(i_dim: i64, i_begin: i64, i_end: i64, x_vals: in bool[], y_vals: out uninit bool[]) {
  reserve(y_vals, 1)
  let t: bool = true
  for stretch in i_begin..i_end step 128 {
    let stretch_end: i64 = min(stretch + 128, i_end)
    vector for i in stretch..stretch_end {
      t = t & x_vals[i]
    }
    if !t {
      break
    }
  }
  y_vals[0] = t
  set_len(y_vals, 1)
}
> counts
loads 5, stores 1, branches 12, rounds 6
> out
y = false
