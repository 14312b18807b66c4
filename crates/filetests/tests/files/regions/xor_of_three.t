# Regions count distinct leaves: three operands have at most eight, however often the algebra of xor names them.
tensor A bool[2,5] csr = (0,0):true (0,1):true (1,2):true
tensor B bool[2,5] csr = (0,1):true (0,2):true (1,4):true
tensor C bool[2,5] csr = (0,0):true (0,1):true (0,3):true (1,2):false
result D csr
expr D(i,j) = A(i,j) ^ B(i,j) ^ C(i,j)
> graph
i over the dimension
  j over regions of A(i,j).2, B(i,j).2, C(i,j).2
    in A(i,j).2 & B(i,j).2 & C(i,j).2
      D(i,j) = A(i,j) ^ B(i,j) ^ C(i,j)
    at fill values in A(i,j).2 & B(i,j).2
      D(i,j) = A(i,j) ^ B(i,j)
    at fill values in A(i,j).2 & C(i,j).2
      D(i,j) = A(i,j) ^ C(i,j)
    at fill values in B(i,j).2 & C(i,j).2
      D(i,j) = B(i,j) ^ C(i,j)
    in A(i,j).2
      D(i,j) = A(i,j)
    in B(i,j).2
      D(i,j) = B(i,j)
    in C(i,j).2
      D(i,j) = C(i,j)
> lattice j
produce A(i,j).2 & B(i,j).2 & C(i,j).2
omit A(i,j).2 & B(i,j).2
omit A(i,j).2 & C(i,j).2
omit B(i,j).2 & C(i,j).2
produce A(i,j).2
produce B(i,j).2
produce C(i,j).2
> out
D = false true true true false false false true false true
