# Where j is 0, the quotient is computed though F stores nothing there; what comes of it is looked at.
tensor F i64[1,1] lil:0,1 =
tensor T i64[1,1] dense =
result y csr
expr y(i,j) = T(i,j) * (F(i,j) / j)
> out
y = 0
