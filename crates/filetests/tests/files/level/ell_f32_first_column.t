# As sell_f32_first_column, in slices of all rows.
tensor A f32[9,2] ell = (4,0):1 (5,0):1 (6,0):3 (7,0):4 (8,0):3
tensor x f32[2] dense = 1 1
expr y(i) = A(i,j) * x(j)
> out
y = 0 0 0 0 1 1 3 4 3
