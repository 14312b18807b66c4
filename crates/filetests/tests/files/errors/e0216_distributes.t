tensor B f64[2,3] csr = (0,1):2
expr def near(a): distributes over add = a + 1; y(i) = sum(j, near(B(i,j)))
> error E0216
error[E0216]: `near` is not one that distributes over add: near(0) is 1
 --> statement:1:14
  |
1 | def near(a): distributes over add = a + 1; y(i) = sum(j, near(B(i,j)))
  |              ^^^^^^^^^^^^^^^^^^^^^^                      ------------ called here
  |
  = help: say only what holds for all arguments
