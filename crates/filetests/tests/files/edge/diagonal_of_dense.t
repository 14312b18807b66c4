# A repeated index walks the diagonal.
tensor A i64[3,3] dense = 1 2 3 4 5 6 7 8 9
expr y(i) = A(i,i)
> out
y = 1 5 9
