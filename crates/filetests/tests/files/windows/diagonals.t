# A part of what is stored by diagonals is taken out first.
tensor A f64[4,4] dia = (0,0):1 (1,1):2 (2,2):3 (3,3):4 (0,1):5 (1,2):6 (2,3):7
tensor x f64[2] dense = (0):1 (1):10
expr y(i) = A(i(1:4),j(2:4)) * x(j)
> cin
forall i (y(i) = t) where (forall j t += A(i,j) * x(j))
> out all-backends
y = 6 73 40
