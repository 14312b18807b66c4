# Two temporaries are computed before a loop, each from an operand of its own.
tensor A f64[1,3] ds =
tensor C f64[1,1,3] ucq = (0,0,2):2
tensor D f64[1,3] ss = (0,0):-1 (0,2):-1
expr y(j) = (A(k,i) - C(j,k,i)) * D(j,i)
> out
y = 2
