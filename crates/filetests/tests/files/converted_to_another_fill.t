# The kernel makes a dense result; its zeros are values where the format that it is converted to has another fill value.
tensor A i64[4,3] ss = (1,1):4
tensor z i64[3] "(i) -> (#, i) : sliced, dense; fill = 1" = (0):-2 (1):3 (2):100
result y "(i) -> (#, i) : sliced, dense; fill = 1"
expr y(i) = sum(k, max(A(k,i), z(i)))
> out
y = 0 13 400
