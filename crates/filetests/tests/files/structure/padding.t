# A slot of a block that holds the fill value has no element.
tensor M f64[4,4] bcsr(2,2) = (0,1):3 (2,2):4
tensor x f64[4,4] dense = (0,0):1 (0,1):2 (1,1):3 (2,2):4 (3,3):5
expr y(i,j) = x(i,j) where structure(M(i,j))
> out
y = (0,1):2 (2,2):4
