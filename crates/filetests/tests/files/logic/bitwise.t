# Bits of integers.
tensor A u8[4] sv = (0):12 (2):255
tensor B u8[4] sv = (0):10 (1):3 (2):15
expr C(i) = A(i) & B(i) | 1
> out
C = 9 1 15 1
