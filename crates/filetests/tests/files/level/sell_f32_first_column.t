# Slots of rows that are shorter than others are empty, and those of the first column are not, in every half of a vector.
tensor A f32[9,2] "sell(8)" = (4,0):1 (5,0):1 (6,0):3 (7,0):4 (8,0):3
tensor x f32[2] dense = 1 1
expr y(i) = A(i,j) * x(j)
> out
y = 0 0 0 0 1 1 3 4 3
