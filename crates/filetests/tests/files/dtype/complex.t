# Complex numbers, and their absolute values.
tensor A c128[3] sv = (0):3+4j (2):0-2j
tensor B c128[3] dense = 1+1j 1+0j 0+1j
expr y(i) = A(i) * B(i)
> out
y = -1+7j 0+0j 2+0j
