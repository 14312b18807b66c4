# What is left out is a zero, beside which NaN does not show.
tensor y f64[2] dense = (1):1
tensor T f64[2,2] csf = (1,1):nan
expr y(k) *= T(j,k)
> out
y = 0 0
