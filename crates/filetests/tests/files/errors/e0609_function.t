# Each function has the one before it four times: written out, the last one would be too large.
tensor A f64[2] dense = (0):1 (1):2
expr def a(x) = x * x + 1; def b(x) = a(a(a(a(x)))); def c(x) = b(b(b(b(x)))); def d(x) = c(c(c(c(x)))); def e(x) = d(d(d(d(x)))); def g(x) = e(e(e(e(x)))); def h(x) = g(g(g(g(x)))); y(i) = h(A(i))
> error E0609
error[E0609]: `g` is too large: the functions that it calls have 24032 operations
 --> statement:1:164
  |
1 | ...(x) = d(d(d(d(x)))); def g(x) = e(e(e(e(x)))); def h(x) = g(g(g(g(x)))); y(i) = h(A(i))
  |                                                              ^^^^^^^^^^^^^
  |
  = help: a function is written out where it is called, each time, and may have 20000 operations then, of which a loop is 20; compute parts of it in statements of their own
