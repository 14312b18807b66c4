# A reduction by max in integers; elements are negative.
tensor B i32[4,5] "csr; fill = -2147483648" = (0,1):-9 (0,4):-1 (1,3):-6 (1,4):-9 (2,2):-6 (3,0):-6 (3,1):-1 (3,2):-9 (3,3):-1
tensor C i32[5,6] csr = (0,1):3 (1,3):4 (1,5):3 (2,3):1 (3,0):1 (3,3):4 (4,1):1 (4,2):2 (4,4):2
schedule precompute(C(k,j), j, w, bitmap)
expr A(i,j) = max(k, max(B(i,k), -2147483648) + min(C(k,j), 0))
> cin
forall i forall k (forall j A(i,j) max= B(i,k) + min(w(j), i32(0))) where[bitmap] (forall j w(j) = C(k,j))
> out
A = -1 -1 -1 -1 -1 -1 -6 -6 -6 -6 -6 -6 -6 -6 -6 -6 -6 -6 -1 -1 -1 -1 -1 -1
