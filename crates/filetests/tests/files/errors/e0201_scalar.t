# A name of NumPy's before names alone is a tensor's; of scalars, the help says how the function is written.
tensor a f64[] dense = 2
expr y = square(a)
> error E0201
error[E0201]: nothing is known of the tensor `square`
 --> statement:1:5
  |
1 | y = square(a)
  |     ^^^^^^
  |
  = help: `square(a)` is an element of a tensor, as `square(i)` would be; the function of scalars is written `power(a, 2)`
