# Division of integers is true division.
tensor A i32[3] sv = (0):1 (2):7
expr C(i) = A(i) / 2
> out
C = 0.5 0 3.5
