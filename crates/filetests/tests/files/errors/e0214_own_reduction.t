# What is given to a function that reduces may be reduced by it.
tensor A f64[3,4] csr = (0,1):2
tensor x f64[4] dense = (1):2
tensor s f64[3] dense = (1):2
expr d(i) = min(s(i), A(i,j) + x(j))
> error E0214
error[E0214]: `j` could be summed over after `min(s(i), A(i,j) + x(j))` or before it
 --> statement:1:8
  |
1 | d(i) = min(s(i), A(i,j) + x(j))
  |        ^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write the sum: `d(i) = sum(j, min(s(i), A(i,j) + x(j)))` or `d(i) = min(s(i), min(j, A(i,j) + x(j)))` or `d(i) = min(s(i), sum(j, A(i,j) + x(j)))`
