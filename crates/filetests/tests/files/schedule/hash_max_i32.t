# A reduction by max in integers; elements are negative.
tensor B i32[4,5] "csr; fill = -2147483648" = (0,1):-7 (0,2):-6 (0,4):-9 (1,0):-8 (1,1):-5 (1,3):-2 (1,4):-6 (2,4):-9 (3,0):-4 (3,3):-9 (3,4):-2
tensor C i32[5,6] csr = (0,0):3 (0,2):3 (0,3):3 (1,0):1 (1,3):4 (1,5):1 (2,4):1 (3,0):3 (3,2):1 (3,3):3 (3,5):1 (4,0):3 (4,2):1 (4,4):4 (4,5):2
schedule precompute(C(k,j), j, w, hash)
expr A(i,j) = max(k, max(B(i,k), -2147483648) + min(C(k,j), 0))
> cin
forall i forall k (forall j A(i,j) max= B(i,k) + min(w(j), i32(0))) where[hash] (forall j w(j) = C(k,j))
> out
A = -6 -6 -6 -6 -6 -6 -2 -2 -2 -2 -2 -2 -9 -9 -9 -9 -9 -9 -2 -2 -2 -2 -2 -2
