# A subscript is no list of indices.
tensor A_ij f64[] dense = 1
tensor x_j f64[] dense = 1
expr y_i = A_ij * x_j
> error E0102
error[E0102]: `y_i` is one name, and has no indices
 --> statement:1:1
  |
1 | y_i = A_ij * x_j
  | ^^^
  |
  = help: write y(i) for an element of `y`
