# Zero and one are left to the passes, and a literal that occurs twice is one.
tensor A f64[3,4] csr = (0,1):0.25 (0,3):2 (1,0):-1 (2,2):0.75
expr C(i,j) = min(max(0, 1 * A(i,j)) * 2.5 + 2.5 * A(i,j), 0.3)
> literals
literals_f64: 2.5 0.3
> out
C = (0,1):0.3 (0,3):0.3 (1,0):-2.5 (2,2):0.3
