# Fills are literals of the loops as well.
tensor A f64[3,4] "csr; fill = 7.5" = (0,1):0.25 (0,3):2 (1,0):-1 (2,2):0.75
expr y(i) = sum(j, A(i,j) / 3)
> literals
literals_f64: 3 2.5
> out
y = 5.750000000000001 7.166666666666666 7.75
