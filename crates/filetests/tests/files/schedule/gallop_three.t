# Three lists, one of them below two rows of a matrix, and another operand that only adds.
tensor A f64[2,12] csr = (0,3):2 (0,11):1 (1,0):5 (1,7):6
tensor b f64[12] s = (0):1 (1):2 (2):3 (3):4 (5):5 (6):6 (7):7 (8):8 (9):9
tensor c f64[12] s = (3):1 (7):2 (8):3 (11):4
schedule gallop(j)
expr y(i) = A(i,j) * b(j) * c(j)
> cin
forall i (y(i) = t) where (forall[gallop] j t += A(i,j) * b(j) * c(j))
> out
y = 8 84
