# Reachability: disjunctions of conjunctions, and what was reached before.
tensor W bool[3,3] csr = (0,1):true (2,0):true
tensor X bool[3,2] dense = (0,0):true (1,1):true
tensor R bool[3,2] dense = (1,0):true
expr Y(i,k) = any(j, W(i,j) & X(j,k)) | R(i,k)
> cin
forall i {forall k Y(i,k) = R(i,k); forall j forall k Y(i,k) |= W(i,j) & X(j,k)}
> out
Y = false true true false true false
