# What the workspace holds where A stores nothing decides the product: such elements are looked at, and not stored.
tensor A f64[3,1,2] ucq = (1,0,0):1 (0,0,1):1 (2,0,0):1
tensor y f64[3,1,2] "suq" = (2,0,1):1 (1,0,0):3
schedule precompute(A(i,j,k), {i,j,k}, w0, dense)
expr y(i,j,k) *= A(i,j,k)
> out
y = 0 0 3 0 0 0
