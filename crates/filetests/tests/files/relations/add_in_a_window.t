# What is updated in a window stays elsewhere.
tensor x f64[3] dense = 1 2 4
tensor y f64[8] sv = (1):10 (2):11
expr y(i(1:6:2)) += x(i)
> cin
(forall c y(c) = y_old(c) + t(c)) where (forall i forall c t(c) += where(c == 1 + 2 * i, x(i), 0.0))
> out all-backends
y = 0 11 11 2 0 4 0 0
