# Zero decides a product, whether it is stored or not, also beside an infinity.
tensor A f64[3,3] "dok" = (0,0):1 (0,2):0 (2,1):2
tensor x f64[3] dense = (0):1 (1):inf (2):nan
expr y(i) = A(i,j) * x(j)
> out
y = 1 0 inf
