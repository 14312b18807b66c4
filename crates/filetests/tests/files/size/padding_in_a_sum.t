# The same where a row is added up.
tensor B f64[4,1] ragged:1,0 = (3,0):-1
result y csf
expr y(j) = B(j,i)
> out
y = 0 0 0 -1
