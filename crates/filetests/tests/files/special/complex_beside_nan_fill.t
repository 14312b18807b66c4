# The fill value of the result is NaN; what is NaN in one part only is not that.
tensor A f64[1] dense =
tensor B f64[1,1] ds =
tensor y c128[1,1] lil = (0,0):-0.5+0.5j
expr y(i,j) = (B(i,j) / A(i)) - y(i,j)
> out
y = NaN-0.5j
