tensor A i64[2,2] csr = (0,0):-12
expr y(i) = gcd(j, A(i,j))
> error E0204
error[E0204]: `gcd` cannot reduce values of dtype i64
 --> statement:1:8
  |
1 | y(i) = gcd(j, A(i,j))
  |        ^^^^^^^^^^^^^^
