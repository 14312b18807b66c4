# An accumulator leaves alone what the mask leaves out.
tensor A f64[4,3] csr = (0,0):1 (0,1):4 (1,1):2 (2,0):3 (2,2):5 (3,2):7
tensor x f64[3] dense = (0):1 (1):2 (2):3
tensor m i32[4] sv = (0):0 (2):1
tensor y f64[4] dense = (0):10 (1):20 (2):30 (3):40
expr y(i) += A(i,j) * x(j) where structure(m(i))
> out
y = 19 20 48 40
