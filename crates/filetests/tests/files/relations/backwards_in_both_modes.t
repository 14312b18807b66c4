# Of two positions outside of reductions one may be solved: the other one is inside of the same reduction then.
tensor A f64[5,5] dcsr = (0,0):1 (0,4):2 (1,2):4 (3,3):8 (4,1):3 (4,0):3
tensor B f64[5,5] csc = (0,0):1 (0,4):2 (1,2):4 (3,3):8 (4,1):3 (4,0):3
result C f64 csr
expr C(i,j) = A(i(::-1),j) + B(i,j(::-1))
> out all-backends
C = (0,0):5 (0,1):3 (0,4):1 (1,2):4 (1,3):8 (3,1):8 (3,2):4 (4,0):1 (4,3):3 (4,4):5
