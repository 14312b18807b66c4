# A result dtype that would lose the fraction.
tensor A f64[3,4] csr = (0,1):2
result y i32
expr y(i) = A(i,j)
> error E0208
error[E0208]: a value of dtype f64 cannot be stored as i32 without losing its kind
 --> statement:1:8
  |
1 | y(i) = A(i,j)
  |        ^^^^^^
  |
  = help: declare the result with a wider dtype
