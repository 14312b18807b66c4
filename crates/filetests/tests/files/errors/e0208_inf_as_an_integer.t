# No integer is infinite.
tensor A i32[3] dense = 1 2 4
result y i32
expr y(i) = A(i) + inf
> error E0208
error[E0208]: a value of dtype f64 cannot be stored as i32 without losing its kind
 --> statement:1:8
  |
1 | y(i) = A(i) + inf
  |        ^^^^^^^^^^
  |
  = help: declare the result with a wider dtype
