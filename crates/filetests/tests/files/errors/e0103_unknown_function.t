expr y(i) = sqrt(A(i))
> error E0103
error[E0103]: there is no function `sqrt`, and an index is a plain variable
 --> statement:1:8
  |
1 | y(i) = sqrt(A(i))
  |        ^^^^
  |
  = help: the functions are sum, prod, any, all, add, sub, mul, div, min, max, neg, abs, eq, ne, lt, le, gt, ge, and, or, xor, not
