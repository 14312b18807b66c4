tensor B f64[2,3] csr = (0,1):2
expr def near(a): distributes over sub = a + 1; y(i) = sum(j, near(B(i,j)))
> error E0215
error[E0215]: `sub` does not reduce f64, so nothing distributes over it
 --> statement:1:31
  |
1 | def near(a): distributes over sub = a + 1; y(i) = sum(j, near(B(i,j)))
  |                               ^^^
