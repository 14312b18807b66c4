# Elements that a minimum makes zero keep their numbers. A remark may stand after # in a line, but not in quotes.
tensor A0 i64[1,1] "(i,j) -> (i, j, #) : list, skyline, banded" = (0,0):4 # one element
tensor A1 i64[1,5] ss =
tensor y i64[1,5] "(i,j) -> (i, j, #) : list, skyline, banded" = (0,0):0 (0,4):3 (0,0):4 (0,0):1 (0,0):-1
expr y(i,k) min= sum(j, A0(i,j) * A1(j,k))
> out
y = 0 0 0 0 0
