# The absolute value of a complex number is real.
tensor A c64[3] sv = (0):3+4j (2):0-2j
expr y(i) = abs(A(i)) + 0.5
> out
y = 5.5 0.5 2.5
