# As NumPy computes with dense arrays.
tensor A f64[4] s = (1):2 (2):0
arithmetic exact
expr y(i) = A(i) * inf
> out
y = NaN inf NaN NaN
