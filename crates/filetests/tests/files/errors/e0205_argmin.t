# The place of an extreme is that of one variable.
tensor A f64[3,4] csr =
expr y = argmin(i, j, A(i,j))
> error E0205
error[E0205]: `argmin` reduces over one index variable
 --> statement:1:5
  |
1 | y = argmin(i, j, A(i,j))
  |     ^^^^^^^^^^^^^^^^^^^^
  |
  = help: write `argmin(j, A(i,j))`
