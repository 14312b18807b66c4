# Computed indices are refused by name.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = A(i,j+1)
> error E0103
error[E0103]: an index must be a plain variable; computed indices are not supported yet
 --> statement:1:12
  |
1 | y(i) = A(i,j+1)
  |            ^^^
  |
  = help: if `A` is meant as a function, the known ones are sum, prod, any, all, structure, add, sub, mul, div, min, max, neg, abs, eq, ne, lt, le, gt, ge, and, or, xor, not, where, sqrt, cbrt, exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan, arcsin, arccos, arctan, sinh, cosh, tanh, arcsinh, arccosh, arctanh, arctan2, hypot, copysign, nextafter, logaddexp, logaddexp2, heaviside, ldexp, floor, ceil, trunc, rint, sign, power, floor_divide, remainder, fmod, fmin, fmax, gcd, lcm, left_shift, right_shift, real, imag, conj, angle, isnan, isinf, isfinite, signbit
