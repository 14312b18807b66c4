# A minimum is taken in the dtype of the result, and so is what changes nothing elsewhere than at a position.
tensor A i64[2,3] dense = (0,0):4 (0,1):7 (1,2):9
tensor y i16[2] dense = (0):5 (1):9
expr y(i) min= min(j, A((i + 1) % 2,j) + 1)
> out all-backends
y = 1 1
