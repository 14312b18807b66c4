# Sums, signs and multiples of sums pass an implicit sum on; a product of several factors, a multiple, a conversion is one term.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor x f64[3] dense = 1 1 1
tensor b f64[2] dense = 1 1
expr y(i) = 2 * (b(i) + A(i,j)) - A(i,j) * min(x(j), 0.5) / b(i) + f32(A(i,j) * x(j)) + A(i,j) * (x(j) - 2) + x(j) / (b(i) + x(j))
> out
y = 6.5 0.5
