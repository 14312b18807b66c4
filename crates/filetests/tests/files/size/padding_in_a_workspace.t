# Slots of a block that hold no element make none in the result.
tensor A f64[4,4] bcsr(2,2) = (0,0):1 (2,3):2
tensor B f64[4,3] csr = (0,0):1 (1,1):2 (3,2):3
result y csr
expr y(i,k) = A(i,j) * B(j,k)
> out
y = (0,0):1 (2,2):6
