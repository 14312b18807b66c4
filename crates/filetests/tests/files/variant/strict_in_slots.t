# So many checks that an operand is given a slot for every coordinate: what it does not store is no element of the result.
tensor A f64[1,1] csr = (0,0):1
tensor y f64[1,1] ds =
arithmetic exact
expr y(i,j) *= A(i,j) * -A(i,j)
> variants
values      values only, made of those of `A`, if -A(i,j) is finite and A(i,j) is finite and A(i,j) * -A(i,j) is finite and y_old(i,j) is finite and `A` has at least 512 values and `y_old` stores the same elements as `A` and runs, this one included, have visited at least 262144 values of `A`
kernel      the kernel, if -A(i,j) is finite and A(i,j) is finite and A(i,j) * -A(i,j) is finite and y_old(i,j) is finite (every run)
strict      what the statement relies on is looked for, and visited where it fails
> out
y = -0
