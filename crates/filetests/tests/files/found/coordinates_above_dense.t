# A result whose coordinate list stands above a dense level.
tensor A i64[2,2,2] ucq = (0,1,1):2 (1,0,1):3
result y ucd:2,0,1
expr y(i,j,k) = A(i,j,k)
> out
y = 0 0 0 2 0 3 0 0
