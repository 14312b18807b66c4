# A reduction does not say what it reduces over, as NumPy's users write it.
tensor A f64[3,4] csr = (0,1):2
expr s = 2 * sum(abs(A(i,j)), i)
> error E0205
error[E0205]: `sum` does not say which variables it reduces over
 --> statement:1:9
  |
1 | s = 2 * sum(abs(A(i,j)), i)
  |         ^^^^^^^^^^^^^^^^^^^
  |
  = help: they come first: `sum(i,j, abs(A(i,j)))`
