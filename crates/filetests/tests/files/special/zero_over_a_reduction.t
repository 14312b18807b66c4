# A reduction that is somewhere nothing, below zero.
tensor B bool[1,2] "dd; pos = i32; crd = i32" = (0,0):true (0,1):false
tensor C bool[1,2] uc = (0,1):true
tensor y bool[] dense = true
expr y &= B(i,j) != (0 / any(j, C(i,j)))
> loops
kernel kernel(i_dim: i64, j_dim: i64, j1_dim: i64, B_vals: in bool[], C1_pos: in i64[], C1_crd: in i32[], C2_crd: in i32[], C_vals: in bool[], y_old_vals: in bool[], y_vals: out uninit bool[]) {
  reserve(y_vals, 1)
  let t: bool = true
  let pC1: i64 = C1_pos[0]
  let C1_end: i64 = C1_pos[1]
  for i in 0..i_dim {
    let has: bool = pC1 < C1_end && i64(C1_crd[pC1]) == i
    let run: i64 = pC1
    if has {
      run = pC1 + 1
      while run < C1_end && i64(C1_crd[run]) == i {
        run = run + 1
      }
    }
    if has {
      let t1: bool = false
      let pC2: i64 = pC1
      while pC2 < run {
        let j1C: i64 = i64(C2_crd[pC2])
        let run_2: i64 = pC2
        run_2 = pC2 + 1
        while run_2 < run && i64(C2_crd[run_2]) == j1C {
          run_2 = run_2 + 1
        }
        let c_sum: bool = C_vals[pC2]
        for q in pC2 + 1..run_2 {
          c_sum = c_sum + C_vals[q]
        }
        if c_sum {
          t1 = true
          break
        }
        pC2 = run_2
      }
      let B2_base: i64 = i * j_dim
      for stretch in 0..j_dim step 128 {
        let stretch_end: i64 = min(stretch + 128, j_dim)
        vector for j in stretch..stretch_end {
          t = t & (f64(B_vals[B2_base + j]) != 0.0 / f64(t1))
        }
        if !t {
          break
        }
      }
    } else {
      let B2_base_2: i64 = i * j_dim
      for stretch_2 in 0..j_dim step 128 {
        let stretch_end_2: i64 = min(stretch_2 + 128, j_dim)
        vector for j_2 in stretch_2..stretch_end_2 {
          t = t & (f64(B_vals[B2_base_2 + j_2]) != nan)
        }
        if !t {
          break
        }
      }
    }
    if !t {
      break
    }
    pC1 = run
  }
  y_vals[0] = y_old_vals[0] & t
  set_len(y_vals, 1)
}
> counts
loads 8, stores 1, branches 21, rounds 3
> out
y = false
