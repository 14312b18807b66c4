# As bcsr_division: two lanes of four.
tensor A f32[2,2] "bcsr(2,2)" = (0,0):1 (0,1):2 (1,0):3 (1,1):4
tensor x f32[2] dense = 1 1
expr y(i) = A(i,j) / x(j)
> out
y = 3 7
