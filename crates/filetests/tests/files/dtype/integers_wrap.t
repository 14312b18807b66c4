# Integers wrap around.
tensor A u8[3] sv = (0):200 (1):100
tensor B u8[3] dense = 100 100 1
expr C(i) = A(i) + B(i)
> out
C = 44 200 1
