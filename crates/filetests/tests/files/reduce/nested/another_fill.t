# The constants beside a reduction take part in what it is elsewhere: 2 * 3 + 1.
tensor A i32[4,3,2] "csf; fill = 3" = (0,0,0):1 (0,0,1):2 (0,1,0):9 (0,1,1):0 (0,2,0):5 (2,1,1):-8
expr y(i) = min(j, 2 * max(k, A(i,j,k)) + 1)
> out
y = 5 7 7 7
