# A sum of an operand that may store nothing beside elements of another: what comes out as 0 is no element then.
tensor E u32[3,3,3] "(i,j,k) -> (i,j,k) : compressed, compressed, bitmap" = (0,2,1):5 (0,0,1):4 (2,0,1):5 (2,1,2):3
tensor x c128[3] bitmap =
result y c128 sv
expr y(l) = -E(i,l,j) * x(k)
> out all-backends
y = 0+0j 0+0j 0+0j
