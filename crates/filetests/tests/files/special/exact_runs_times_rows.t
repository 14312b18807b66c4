# One infinite run beside 1 and 0: products are added up, not their other factors.
tensor A f64[1,2] "rle; fill = -inf" =
tensor B f64[2,1] dense = (0,0):1
arithmetic exact
expr y(l) = A(i,k) * B(k,l)
> out
y = NaN
