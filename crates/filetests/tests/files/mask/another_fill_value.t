# Where another fill value was declared, what is left out is stored.
tensor A f64[2,2] "csr; fill = inf" = (0,0):1 (1,1):2
tensor m bool[2] dense = (0):true
result y "sv; fill = 0"
expr y(i) = min(j, A(i,j)) where m(i)
> out
y = 1 inf
