# In sums, a name is a variable.
tensor x f64[4] dense = (0):1
tensor s i64[] dense = 1
expr y(i) = x(i+s)
> error E0206
error[E0206]: `s` is an index variable here, and a tensor has its name
 --> statement:1:10
  |
1 | y(i) = x(i+s)
  |          ^^^
  |
  = help: the value of a tensor stands in parentheses: (s)
