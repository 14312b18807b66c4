# Conversion refuses what packing refuses.
tensor E f64[3,3] csr = (0,0):1 (0,1):2 (0,2):3 (1,1):4 (2,0):5 (2,2):6
result R sq
expr R(i,j) = E(i,j)
> error E0602
error[E0602]: level 0 is unique and a singleton follows, but coordinate 0 has several children
 |
 = help: declare the level `nonunique`, or follow it with a compressed level
