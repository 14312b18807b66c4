# Complex numbers.
tensor B c128[4,5] csr = (0,0):2+1i (0,1):2+3i (0,3):1+2i (1,1):2+2i (1,2):3+2i (2,0):3+1i (2,2):1+1i (3,0):1+2i (3,1):1+3i (3,3):2+2i (3,4):2+2i
tensor C c128[5,6] csr = (1,2):2-1i (2,0):2-1i (2,2):1-1i (2,3):2-1i (3,2):1-2i (3,5):2-2i (4,1):2-3i (4,5):3-2i
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, list)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[list] (forall k forall j w(j) += B(i,k) * C(k,j))
> out
A = (0,2):12+4j (0,5):6+2j (1,0):8+1j (1,2):11+1j (1,3):8+1j (2,0):3+1j (2,2):2+0j (2,3):3+1j (3,1):10-2j (3,2):11+3j (3,5):18+2j
