# A variable that only the result has repeats the value.
dim j = 3
tensor x i64[2] sv = (1):7
expr Y(j,i) = x(i)
> out
Y = 0 7 0 7 0 7
