# A function of two values that is written as a reduction and is not said to be one: its values at every `j`, added up, are
# hardly meant.
tensor A f64[2,3] csr = (0,1):3 (1,0):4
expr def most(x, y): commutative, associative = max(x, y); y(i) = most(j, A(i,j))
> error E0214
error[E0214]: `most` does not reduce over `j`: it is not said to
 --> statement:1:62
  |
1 | def most(x, y): commutative, associative = max(x, y); y(i) = most(j, A(i,j))
  |                                                              ^^^^^^^^^^^^^^^
  |
  = help: what reduces is said to be associative and identity(v); a sum of its values at every coordinate is written: `y(i) = sum(j, most(j, A(i,j)))`
