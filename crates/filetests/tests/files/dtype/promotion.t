# Signed and unsigned meet in a wider signed dtype; a literal follows its neighbour.
tensor A u8[2] sv = (0):255
tensor B i8[2] sv = (0):-1
expr C(i) = A(i) * B(i) + 1
> cin
forall i C(i) = i16(A(i)) * i16(B(i)) + i16(1)
> out
C = -254 1
