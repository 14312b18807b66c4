# A divisor of zero shows where nothing is stored.
tensor A f64[3,4] csr = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
tensor d f64[3] dense = 1 0 2
result B csr
expr B(i,j) = A(i,j) / d(i)
> variants
positions   values only, at the positions of `A`, if d(i) is neither 0 nor NaN and `A` has at least 512 values and runs, this one included, have visited at least 262144 values of `A`
kernel      the kernel, if d(i) is neither 0 nor NaN (every run)
strict      what the statement relies on is looked for, and visited where it fails
> out
B = 0 2 0 0 inf NaN -inf NaN 0 0 0 2
