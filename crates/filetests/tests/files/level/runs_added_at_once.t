# The sum over runs of values that no fill value is: each value times the length of its run, in any dtype of numbers.
tensor A i32[2,40] rle ; fill = 7 = (0,0):2 (0,1):2 (0,4):3 (1,2):-1 (1,3):-1 (1,4):1
expr y(i) = sum(j, A(i,j) + 1)
> loops
> counts
> out
