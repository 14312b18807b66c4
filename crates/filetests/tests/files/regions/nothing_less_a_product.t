tensor A f64[2,3] csr = (0,0):1 (1,2):4
tensor B f64[2] sv = (1):7
expr Y(i,j) = ((A(i,j) + B(i)) * 0) - B(i) * A(i,j)
> graph
Y(i,j).1 located, Y(i,j).2 appended
i over B(i).1
  j over A(i,j).2, with room for all
    Y(i,j) = 0.0 - B(i) * A(i,j), appended unless it settles at the fill value
> out
Y = 0 0 0 0 0 -28
