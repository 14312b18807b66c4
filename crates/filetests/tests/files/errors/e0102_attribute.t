# A function has its name alone.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor x f64[3] dense = 1 2 3
expr y(j) = np.sqrt(x(j))
> error E0102
error[E0102]: unexpected text after the statement
 --> statement:1:10
  |
1 | y(j) = np.sqrt(x(j))
  |          ^
  |
  = help: a function has its name alone, as sqrt(x(i)), and a tensor no attributes
