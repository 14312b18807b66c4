# Every k up to the widest is a slot of A, also where no i is stored below it: no element leads to it.
tensor A i64[2,2,1] "(i,j,k) -> (i,j,k) : ragged, banded, compressed" = (0,0,0):1 (0,1,0):1 (1,0,0):1
result T "(i,j) -> (i,j) : dense, compressed"
expr T(j,k) = A(j,k,i)
> out
T = 1 1 1 0
