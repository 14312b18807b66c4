tensor A f64[3,2] csr = (0,0):2 (0,1):3 (1,1):6
tensor x f64[2] dense = (0):4 (1):0
result y dense
expr y(i) = lor_land(j, A(i,j), x(j))
> out
y = true false false
