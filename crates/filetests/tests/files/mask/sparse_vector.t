# A front of a search: of what was seen, nothing is left.
tensor G bool[4,4] csr = (1,0):true (2,0):true (3,1):true (0,3):true
tensor f bool[4] sv = (0):true (3):true
tensor s bool[4] dense = (0):true (1):true
result n sv
expr n(i) = any(j, G(i,j) & f(j)) where !s(i)
> out
n = false false true false
