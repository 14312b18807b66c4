# A position is needed for the values of the variable that it is computed from, which another one of the same name is not.
tensor A f64[2,2] dense = 1 2 3 4
tensor B i64[2,2] dense = 0 2 2 4
tensor p i64[2,2] dense = 1 0 1 2
expr y = (A(j,i) + min(i, B(p(j,i),i))) * (i <= j - 1)
> error E0608
error[E0608]: `p(j,i)` is 2 at j = 1, i1 = 1, and mode 0 of `B` has 2 coordinates
 --> statement:1:24
  |
1 | y = (A(j,i) + min(i, B(p(j,i),i))) * (i <= j - 1)
  |                        ^^^^^^
  |
  = help: positions count from 0 and do not wrap; where one is not needed, say so: where(p(i) >= 0, x(p(i)), 0)
