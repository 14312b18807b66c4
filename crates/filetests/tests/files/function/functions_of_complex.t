# Functions of complex numbers are the C library's; parts have the dtype of parts.
tensor A c128[2,3] csr = (0,0):1+2j (0,2):-0.5j (1,1):3-4j
tensor x c64[3] dense = 1+1j 2-1j 0.5+0.25j
expr y(i) = sum(j, real(conj(A(i,j)) * A(i,j)) + imag(sqrt(A(i,j))) * angle(x(j)))
> graph
i over the dimension
  where t
    j over A(i,j).2
      t += real(conj(A(i,j)) * A(i,j)) + imag(sqrt(A(i,j))) * f64(angle(x(j)))
  then
    y(i) = t
> out
y = 5.6356180634306146 25.463647603988647
