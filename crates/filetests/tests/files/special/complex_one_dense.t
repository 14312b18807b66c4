# Where z stores nothing, x is multiplied by 1, which twists a complex infinity: in every format alike.
tensor x f64[3] dense = inf 2 -inf
tensor z c128[3] dense = (1):1+1j
tensor C c128[3] "dense; fill = 1" = (1):2
arithmetic exact
result y c128 dense
expr y(i) = x(i) * (z(i) + 1) + x(i) / C(i)
> out
y = inf+NaNj 5+2j -inf+NaNj
