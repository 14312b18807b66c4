# Regions count distinct leaves: three operands have at most eight, however often the algebra of xor names them.
tensor A bool[2,5] csr = (0,0):true (0,1):true (1,2):true
tensor B bool[2,5] csr = (0,1):true (0,2):true (1,4):true
tensor C bool[2,5] csr = (0,0):true (0,1):true (0,3):true (1,2):false
result D csr
expr D(i,j) = A(i,j) ^ B(i,j) ^ C(i,j)
> graph
D(i,j).1 located, D(i,j).2 appended
i over the dimension
  j over regions of A(i,j).2, B(i,j).2, C(i,j).2, with room for all
    in A(i,j).2 & B(i,j).2 & C(i,j).2
      D(i,j) = A(i,j) ^ B(i,j) ^ C(i,j), appended unless it settles at the fill value
    at fill values in A(i,j).2 & B(i,j).2
      D(i,j) = A(i,j) ^ B(i,j), appended unless it is the fill value
    at fill values in A(i,j).2 & C(i,j).2
      D(i,j) = A(i,j) ^ C(i,j), appended unless it is the fill value
    at fill values in B(i,j).2 & C(i,j).2
      D(i,j) = B(i,j) ^ C(i,j), appended unless it is the fill value
    in A(i,j).2
      D(i,j) = A(i,j), appended unless it settles at the fill value
    in B(i,j).2
      D(i,j) = B(i,j), appended unless it settles at the fill value
    in C(i,j).2
      D(i,j) = C(i,j), appended unless it settles at the fill value
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
