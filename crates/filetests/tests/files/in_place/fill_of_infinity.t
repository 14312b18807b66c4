# The operand's fill value is infinite: beside 0 it would be NaN, so what is given away is looked at first.
tensor B f64[4,2] "ss; fill = inf" = (2,0):-1 (0,0):-4 (1,1):-4
tensor x f64[2] dense =
tensor v f64[4] dense = (0):-2.5 (2):3.5
expr T0(i) = v(i) + sum(j, B(i,j) * x(j))

> out
T0 = -2.5 0 3.5 0
> in-place v
nothing
