# Moments of rows: functions of coordinates are no reductions over them.
tensor A f64[2,3] csr = (0,1):3 (0,2):1 (1,0):4
expr y(i) = A(i,j) * power(j, 2) + A(i,j) * j ** 2
> out
y = 14 0
