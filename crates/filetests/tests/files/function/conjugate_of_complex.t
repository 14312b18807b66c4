# What is not stored stays so: the conjugate of zero is zero.
tensor A c64[2,3] csr = (0,0):1+2j (0,2):-0.5j (1,1):3-4j
result B csr
expr B(i,j) = conjugate(A(i,j)) * exp(A(i,j))
> graph
B(i,j).1 located, B(i,j).2 appended
i over the dimension
  j over A(i,j).2, with room for all
    B(i,j) = conj(A(i,j)) * exp(A(i,j)), appended
> out
B = 3.812249+4.7341356j 0+0j 0.23971277+0.43879128j 0+0j -100.18948-6.912777j 0+0j
