# Complex numbers.
tensor B c128[4,5] csr = (0,1):2+2i (0,3):2+2i (0,4):3+2i (1,1):2+3i (1,3):1+3i (1,4):2+2i (2,0):2+2i (2,3):1+1i (2,4):1+1i (3,0):2+2i (3,2):3+1i (3,3):2+3i
tensor C c128[5,6] csr = (0,1):3-1i (0,3):1-1i (1,0):1-2i (1,1):1-3i (1,2):2-1i (1,4):3-3i (2,0):1-1i (3,0):2-1i (3,1):2-2i (4,1):3-3i (4,2):3-3i
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, bitmap)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[bitmap] (forall k forall j w(j) += B(i,k) * C(k,j))
> out
A = 12+0j 31-7j 21-1j 0+0j 12+0j 0+0j 13+4j 31+1j 19+4j 0+0j 15+3j 0+0j 3+1j 18+4j 6+0j 4+0j 0+0j 0+0j 11+2j 18+6j 0+0j 4+0j 0+0j 0+0j
