# A semiring says how its products are added up, also where there is nothing to add up: bits of floats are no bits.
tensor x f64[3] dense = (0):1
tensor z f64[3] dense = (1):2
expr y(i) = bxor_second(x(i), z(i))
> error E0204
error[E0204]: `xor` cannot reduce values of dtype f64
 --> statement:1:8
  |
1 | y(i) = bxor_second(x(i), z(i))
  |        ^^^^^^^^^^^^^^^^^^^^^^^
