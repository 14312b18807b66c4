# A subscript whose letters are indices elsewhere is meant as indices.
tensor B_ij f64[] dense = 1
tensor x f64[3] dense = 1 1 1
expr y(i) = B_ij * x(j)
> error E0102
error[E0102]: `B_ij` is one name, and has no indices
 --> statement:1:8
  |
1 | y(i) = B_ij * x(j)
  |        ^^^^
  |
  = help: write B(i,j) for an element of `B`
