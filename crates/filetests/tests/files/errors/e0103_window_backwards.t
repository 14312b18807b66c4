# Windows run forwards.
tensor x f64[4] dense = (0):1
expr y(i) = x(i(3:0:-1))
> error E0103
error[E0103]: windows do not run backwards yet
 --> statement:1:16
  |
1 | y(i) = x(i(3:0:-1))
  |                ^^
  |
  = help: reverse the operand before, in Python with `A[::-1]`
