# An operand may be called like the old value of the result.
tensor y f64[3] dense = 1 1 1
tensor y_old f64[3] dense = 0 1 2
expr y(i) += y_old(i) * 2
> out
y = 1 3 5
