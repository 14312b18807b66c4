tensor a f64[3] s = (0):-1
expr y(i) = gcd(a(i), a(i))
> error E0204
error[E0204]: `gcd` is not defined for f64 and f64
 --> statement:1:8
  |
1 | y(i) = gcd(a(i), a(i))
  |        ^^^^^^^^^^^^^^^
