# Complex numbers.
tensor B c128[4,5] csr = (0,4):3+1i (1,1):3+3i (1,2):2+2i (1,4):2+3i (2,0):2+3i (2,1):2+1i (2,4):1+3i (3,3):3+1i
tensor C c128[5,6] csr = (0,2):2-2i (0,3):3-3i (1,5):3-1i (2,1):1-2i (2,5):2-1i (3,4):2-3i (4,1):3-2i (4,4):2-2i
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, dense)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[dense] (forall k forall j w(j) += B(i,k) * C(k,j))
> out
A = (0,1):11-3j (0,4):8-4j (1,1):18+3j (1,4):10+2j (1,5):18+8j (2,1):9+7j (2,2):10+2j (2,3):15+3j (2,4):8+4j (2,5):7+1j (3,4):9-7j
