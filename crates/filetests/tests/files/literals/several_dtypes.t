# One array for each dtype.
tensor A f32[3] dense = 1 2 3
tensor B i32[3] dense = 4 5 6
expr y(i) = A(i) * 0.25 + max(B(i), 7) * 0.125
> literals
literals_f32: 0.25
literals_i32: 7
literals_f64: 0.125
> out
y = 1.125 1.375 1.625
