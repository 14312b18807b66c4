# A zero decides, stored or not.
tensor A f64[4] s = (1):2 (2):0
expr y(i) = A(i) * inf + 0 * nan
> cin
forall i y(i) = A(i) * f64(inf)
> out
y = 0 inf 0 0
