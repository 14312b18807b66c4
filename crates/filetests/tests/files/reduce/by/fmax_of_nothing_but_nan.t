# Of nothing but NaN it is NaN, also where that is the fill value.
tensor A f64[3,2] "csr; fill = nan" = (0,0):nan (0,1):nan (1,1):-2
expr y(i) = fmax(j, A(i,j))
> out
y = NaN -2 NaN
