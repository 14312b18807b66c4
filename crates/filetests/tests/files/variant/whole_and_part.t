# What the statement relies on is asked of an operand whose part is read as well, over its values.
tensor A f64[3,3] dcsr = (1,1):1
arithmetic exact
expr y = A(k,i(1:3)) * A(l,k)
> variants
kernel      the kernel, if A(l,k) is finite and A(k,i(1:3)) is finite (every run)
strict      what the statement relies on is looked for, and visited where it fails
> out
y = 1
