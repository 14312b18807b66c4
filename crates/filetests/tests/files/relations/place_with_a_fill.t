# Elements that nothing is sent to are the fill value that is asked for.
tensor p i64[2] dense = 3 1
tensor x f64[2] dense = 1 -1
result y[5] "(i) -> (i) : compressed; fill = -1"
expr y(p(i)) = x(i)
> out all-backends
y = -1 -1 -1 1 -1
