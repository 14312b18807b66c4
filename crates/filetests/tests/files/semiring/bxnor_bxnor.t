tensor A i32[2,3] csr = (0,0):12 (0,1):10 (1,1):7
tensor x i32[3] sv = (0):1 (1):8 (2):3
expr y(i) = bxnor_bxnor(j, A(i,j), x(j))
> out
y = -16 -16
