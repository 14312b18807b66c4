# A variable that says another mode as well is a place on the left, whatever `padded` is about: its range is that of `p`.
tensor A i64[14,13] dense = (3,1):5 (2,1):7
tensor y i64[4,5] dense = (0,0):1
tensor p i64[2,12] dense = (0,3):1
expr y(p(i,j),j) choose= padded(A((3 - i),(3 * j + 1) % 3)) * (j < 5)
> out all-backends
y = (0,0):1 (0,1):5 (0,2):5 (0,3):7 (0,4):5 (1,3):5
