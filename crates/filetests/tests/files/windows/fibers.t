# Windows at every level of a tensor of three modes.
tensor A f64[3,4,5] csf = (0,0,0):9 (1,1,1):1 (1,1,3):2 (1,2,0):9 (2,1,2):9 (2,3,4):3 (2,3,1):4
tensor x f64[2] dense = (0):1 (1):10
expr y(i,j) = A(i(1:),j(1:4:2),k(1:4:2)) * x(k)
> cin
forall i forall j (y(i,j) = t) where (forall k t += A(i(1:),j(1:4:2),k(1:4:2)) * x(k))
> out all-backends
y = 21 0 0 4
