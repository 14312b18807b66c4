# A sum of bits of nothing has them all.
tensor A u8[3,3] csr = (0,0):12 (0,1):10 (1,1):7 (2,2):1
tensor x u8[3] sv = (0):1 (1):8
expr y(i) = band_bor(j, A(i,j), x(j))
> out
y = 8 15 255
