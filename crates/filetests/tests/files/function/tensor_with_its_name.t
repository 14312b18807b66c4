tensor exp f64[3] dense = (0):1
expr y(i) = 2 * exp(i)
> error E0210
error[E0210]: `exp` is a function, and a tensor has its name
 --> statement:1:12
  |
1 | y(i) = 2 * exp(i)
  |            ^^^
  |
  = help: write `exp[i]` for the tensor
