# Nothing is read backwards.
tensor x f64[0] sv =
expr y(i) = x(i(::-1))
> out all-backends
y =
