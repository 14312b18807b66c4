# A reduction by max in integers; elements are negative.
tensor B i32[4,5] "csr; fill = -2147483648" = (0,0):-5 (0,2):-6 (0,3):-5 (0,4):-3 (1,0):-6 (1,1):-5 (2,0):-4 (2,1):-7 (2,2):-1 (3,0):-2 (3,1):-9 (3,2):-4 (3,3):-6
tensor C i32[5,6] csr = (0,2):1 (1,5):4 (2,0):1 (2,3):1 (2,4):2 (2,5):3 (3,1):3 (3,3):2 (3,4):4 (3,5):2 (4,2):1 (4,3):3
schedule precompute(C(k,j), j, w, dense)
expr A(i,j) = max(k, max(B(i,k), -2147483648) + min(C(k,j), 0))
> cin
forall i forall k (forall j A(i,j) max= B(i,k) + min(w(j), i32(0))) where[dense] (forall j w(j) = C(k,j))
> out
A = -3 -3 -3 -3 -3 -3 -5 -5 -5 -5 -5 -5 -1 -1 -1 -1 -1 -1 -2 -2 -2 -2 -2 -2
