# Slots of padding that go through one workspace into another.
tensor C i64[2,4,4,1] ddsd:3,2,1,0 = (0,0,2,0):3 (0,0,1,0):2 (1,3,3,0):0
tensor D i64[4,2,4] dense =
result y s
expr y(j) = D(j,i,k) * any(l, C(i,j,k,l))
> out
y = 0 0 0 0
