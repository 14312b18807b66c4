# One variable, two sizes.
tensor A f64[3,4] csr = (0,1):2
tensor x f64[5] dense =
expr y(i) = A(i,j) * x(j)
> error E0203
error[E0203]: `j` ranges over 4 values, but mode 0 of `x` has 5
 --> statement:1:19
  |
1 | y(i) = A(i,j) * x(j)
  |            -      ^ size 5
  |            |
  |            size 4
  |
  = help: use different index variables, or operands of matching shapes
