tensor B f64[2,3] csr = (0,1):2
expr def near(a, b, c): distributes over add = a + b * c; y(i) = sum(j, near(B(i,j), 1, 2))
> error E0215
error[E0215]: only a function of one or two arguments can be one that distributes over add
 --> statement:1:20
  |
1 | def near(a, b, c): distributes over add = a + b * c; y(i) = sum(j, near(B(i,j), 1, 2))
  |                    ^^^^^^^^^^^^^^^^^^^^^^
