# A has a row of every i above its lists, which are empty but for one: no element leads to the others.
tensor A i64[2,1,1] sds:1,0,2 = (1,0,0):2
tensor y i64[2,1] bitmap =
expr y(i,k) += A(i,k,j)
> out
y = 0 2
