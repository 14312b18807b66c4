# The loss of logistic regression: the sum over one variable comes before the function, that over the other one after it.
tensor A f64[3,4] csr = (0,1):2
tensor x f64[4] dense = (1):2
tensor y f64[3] dense = (1):2
expr s = log(1 + exp(-y(i) * A(i,j) * x(j)))
> error E0214
error[E0214]: `i` could be summed over after `log(1 + exp(-y(i) * A(i,j) * x(j)))` or before it
 --> statement:1:5
  |
1 | s = log(1 + exp(-y(i) * A(i,j) * x(j)))
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write the sum: `s = log(1 + sum(i,j, exp(-y(i) * A(i,j) * x(j))))` or `s = sum(i,j, log(1 + exp(-y(i) * A(i,j) * x(j))))` or `s = sum(j, log(1 + exp(sum(i, -y(i) * A(i,j) * x(j)))))` or `s = sum(i, log(1 + exp(sum(j, -y(i) * A(i,j) * x(j)))))` or `s = log(1 + exp(sum(i,j, -y(i) * A(i,j) * x(j))))`
