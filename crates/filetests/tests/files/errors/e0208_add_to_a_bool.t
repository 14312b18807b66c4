# Sums of truth values count, also those that are added to.
tensor y bool[2] dense = true false
tensor B bool[2,2] csr = (0,1):true
expr y(i) += B(i,j)
> error E0208
error[E0208]: `y` holds truth values, and sums of truth values are counts
 --> statement:1:1
  |
1 | y(i) += B(i,j)
  | ^^^^
  |
  = help: write |= for whether one of them is true, or y = any(j, …); count in a tensor of i64
