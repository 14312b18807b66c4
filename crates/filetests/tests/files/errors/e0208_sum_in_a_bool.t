# A count is no truth value.
tensor B bool[2,2] csr = (0,1):true
result n bool dense
expr n(i) = B(i,j)
> error E0208
error[E0208]: a value of dtype i64 cannot be stored as bool without losing its kind
 --> statement:1:8
  |
1 | n(i) = B(i,j)
  |        ^^^^^^
  |
  = help: declare the result as i64, or write any(…), for whether one of them is true, or |=, which takes truth values
