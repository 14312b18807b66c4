# The magnitude of a finite complex number is infinite: 0 times that is NaN, though D stores nothing.
tensor D f64[2] sv =
tensor z c128[2] dense = 1.7e308+1.7e308j 1+1j
arithmetic exact
expr y(i) = D(i) * abs(z(i))
> out
y = NaN 0
