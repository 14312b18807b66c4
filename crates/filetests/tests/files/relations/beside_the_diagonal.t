# Both modes have one variable, and one of them a sum of it.
tensor A f64[4,4] csr = (0,1):1 (0,2):2 (1,0):3 (1,2):4 (2,3):5 (3,3):7
result y dense
expr y(i) = A(i,i+1)
> cin
forall i y(i) = A_2(i)
> graph
i over A_2(i).1
  y(i) = A_2(i)
> out all-backends
y = 1 4 5
