# A literal decides what is read inside of the sum: the old value stays as it is stored.
tensor y bool[1] hash = (0):false
tensor T0 f64[2,1] csr = (1,0):1
expr y(i) |= (false + (false * T0(j,i))) > 0.5
> out
y = false
