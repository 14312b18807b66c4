# A sum of products with another sum, neither of which has terms.
tensor A f64[0,1,2] "dds:0,2,1" =
tensor B f64[0,2,1] "dds:0,2,1" =
tensor C f64[1,2] ss:1,0 = (0,1):1
expr y(j,k) = B(i,k,j) * sum(i, C(j,k) * A(i,j,k))
> out
y = 0 0
