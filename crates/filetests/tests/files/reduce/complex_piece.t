# 1 times a complex number that is infinite or NaN is another one: no piece of an expression is computed as a product of itself.
tensor A i64[2] "(i) -> (i%2, i) : dense, dense" = (1):-3
tensor y c64[2] ragged =
expr y(i) += power(sqrt(A(i)), (!A(i)) > fmin(A(i), A(i)))
> cin
forall i y(i) = y_old(i) + c64(power(sqrt(f64(A_2(i))), f64(!A_2(i) > fmin(A_2(i), A_2(i)))))
> out all-backends
y = 1+0j NaN+0j
