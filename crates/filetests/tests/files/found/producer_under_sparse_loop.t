# The loop over l must also run where only the operand of the inner temporary is stored.
tensor B f64[1,3,2] sss = (0,0,0):-3 (0,2,1):-3
tensor C f64[2,1,1] dense = (1,0,0):-3
expr y(i,l) = C(j,i,l) * (B(l,k,j) - j)
> out
y = 12
