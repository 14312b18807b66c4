# A divisor that alone holds the variable.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor B f64[2,3] csr = (0,1):1 (1,1):4
tensor x f64[3] dense = 1 2 3
tensor y f64[2] dense = 1 1
expr z(i) = 2 / (1 + exp(-A(i,j)))
> error E0214
error[E0214]: `j` could be summed over after `2 / (1 + exp(-A(i,j)))` or before it
 --> statement:1:8
  |
1 | z(i) = 2 / (1 + exp(-A(i,j)))
  |        ^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write the sum: `z(i) = 2 / (1 + sum(j, exp(-A(i,j))))` or `z(i) = sum(j, 2 / (1 + exp(-A(i,j))))` or `z(i) = 2 / (1 + exp(sum(j, -A(i,j))))`
