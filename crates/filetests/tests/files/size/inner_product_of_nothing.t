# Rows of A and B that share no column make no element.
tensor A f64[3,4] dcsr = (0,0):1 (1,1):2 (2,3):3
tensor B f64[3,4] dcsr = (0,0):1 (1,2):2 (2,3):3
result y dcsr
expr y(i,k) = A(i,j) * B(k,j)
> out
y = (0,0):1 (2,2):9
