# NaN is a case as well.
tensor A f64[4] s = (0):nan (1):3
result y f64 s
expr def known(x) { nan => 7; x => x }; y(i) = known(A(i))
> cin
forall i y(i) = where(A(i) != A(i), 7.0, A(i))
> out
y = 7 3 0 0
