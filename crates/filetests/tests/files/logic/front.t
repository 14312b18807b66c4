# A truth value that is known before a loop, and decides that nothing comes of it, is asked before it: once, not in every loop.
tensor A bool[4,5] csr = (0,1):true (0,3):true (1,0):true (2,2):true (2,4):false (3,3):true
tensor B bool[5,3] dense = (1,0):true (2,2):true (3,1):true
tensor x bool[4] dense = (0):true (2):true
expr y(j,k) = any(i, x(i) & A(i,j) & B(j,k))
> out all-backends
y = (1,0):true (2,2):true (3,1):true
> loops
kernel kernel(j_dim: i64, k_dim: i64, i_dim: i64, i_begin: i64, i_end: i64, x_vals: in bool[], A2_pos: in i64[], A2_crd: in i32[], A_vals: in bool[], B_vals: in bool[], y_vals: out bool[]) {
  reserve(y_vals, j_dim * k_dim)
  for i in i_begin..i_end {
    let x_val: bool = x_vals[i]
    if x_val != false {
      let pA2: i64 = A2_pos[i]
      let A2_end: i64 = A2_pos[i + 1]
      for pA2_2 in pA2..A2_end {
        let j: i64 = i64(A2_crd[pA2_2])
        let a_val: bool = A_vals[pA2_2]
        let B2_base: i64 = j * k_dim
        let y2_base: i64 = j * k_dim
        vector for k in 0..k_dim {
          y_vals[y2_base + k] |= x_val & a_val & B_vals[B2_base + k]
        }
      }
    }
  }
  set_len(y_vals, j_dim * k_dim)
}
> counts
loads 40, stores 12, branches 39, rounds 22
