# What stores everything may be converted into what leaves zeros out.
tensor A f64[1,4] ell = (0,0):inf (0,2):-2 (0,3):1
tensor B f64[1,4] rle = (0,2):2
arithmetic exact
expr Y(i,j) = A(i,j) * B(i,j)
> out
Y = NaN 0 -4 0
