# The old value of the result is an operand that may be converted like any other.
tensor A i64[2,2] ds = (0,1):3
tensor B i64[2,2] ds = (1,0):4
tensor y i64[2,2] ds:1,0 = (0,1):1
expr y(i,j) = max(B(i,j), A(i,j)) + y(i,j)
> out
y = 0 4 4 0
