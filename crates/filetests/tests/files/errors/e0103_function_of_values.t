# A call with a value among its arguments is one of a function, whatever stands first; near names are offered.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = mx(0.5, A(i,j))
> error E0103
error[E0103]: there is no function `mx`, and an index is a plain variable
 --> statement:1:8
  |
1 | y(i) = mx(0.5, A(i,j))
  |        ^^
  |
  = help: did you mean `max`? the functions are sum, prod, any, all, structure, add, sub, mul, div, min, max, neg, abs, eq, ne, lt, le, gt, ge, and, or, xor, not, where, sqrt, cbrt, exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan, arcsin, arccos, arctan, sinh, cosh, tanh, arcsinh, arccosh, arctanh, arctan2, hypot, copysign, nextafter, logaddexp, logaddexp2, heaviside, ldexp, floor, ceil, trunc, rint, sign, power, floor_divide, remainder, fmod, fmin, fmax, gcd, lcm, left_shift, right_shift, real, imag, conj, angle, isnan, isinf, isfinite, signbit
