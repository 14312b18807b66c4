# The product that is added to was made by a kernel, in the format of its statement.
tensor A f64[3,4] csr = (0,0):1 (1,1):2 (2,3):3
tensor B f64[4,3] csr = (0,0):1 (1,1):2 (3,2):3
result T "bcsr(2,2)"
expr T(i,k) = A(i,j) * B(j,k)
result y csr
expr y(i,k) = T(i,k) - 0.5 * T(k,i)
> out
y = (0,0):0.5 (1,1):2 (2,2):4.5
