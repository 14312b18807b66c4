# TACO's four arguments: the loop that fills the workspace has a name.
tensor B f64[4,5] csr = (2,1):4 (2,3):1 (3,0):4 (3,2):1 (3,4):2
tensor C f64[5,6] csr = (0,1):4 (0,2):1 (0,3):4 (0,4):1 (1,0):2 (1,2):2 (1,3):2 (2,0):2 (2,3):3 (3,0):3 (3,1):1 (3,4):3 (4,1):4 (4,3):3 (4,5):3
result A csr
schedule precompute(B(i,k)*C(k,j), j, jw, w, list); unroll(jw,2)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[list] (forall k forall[unroll(2)] jw w(jw) += B(i,k) * C(k,jw))
> out
A = (2,0):11 (2,1):1 (2,2):8 (2,3):8 (2,4):3 (3,0):2 (3,1):24 (3,2):4 (3,3):25 (3,4):4 (3,5):6
