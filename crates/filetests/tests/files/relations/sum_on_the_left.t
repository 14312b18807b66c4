# What is updated bounds the variable as what is read does.
tensor y f64[4] dense = (0):1 (1):1 (2):1 (3):1
tensor x f64[3] dense = (0):1 (1):2 (2):3
expr y(i+1) += x(i)
> cin
{forall c y(c) = y_old(c); forall i forall c y(c) += where(c == i + 1, x(i), 0.0)}
> out all-backends
y = 1 2 3 4
