# Nothing is sent: everything is the fill value.
tensor p i64[0] dense =
tensor x f64[0] sv =
result y[3] dense
expr y(p(i)) = x(i)
> cin
forall c y(c) = 0.0
> out all-backends
y = 0 0 0
