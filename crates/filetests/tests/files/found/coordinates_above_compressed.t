# A result whose coordinate list stands above a compressed level.
tensor A i64[2,2] ss = (0,1):1 (1,1):3
dim l = 2
result y uqs:2,0,1
expr y(i,k,l) = sum(j, A(i,k) & A(j,k))
> out
y = 0 0 2 2 0 0 4 4
