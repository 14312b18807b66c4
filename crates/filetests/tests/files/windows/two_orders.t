# One tensor is read whole and through a window, in two orders: the one that is stored in the other order leaves the other as
# the caller stores it.
tensor A f64[4,4] csr = (0,0):1 (1,1):2 (2,3):3 (3,1):4 (3,2):5 (2,1):6 (1,3):7
tensor B f64[3,4] csr = (0,0):1 (1,1):2 (2,3):3 (2,2):4
expr Y(i,k) = A(l,k) * A(k,i(1:4)) * B(i,l)
> out all-backends
Y = (1,3):70 (2,1):252 (2,2):45
