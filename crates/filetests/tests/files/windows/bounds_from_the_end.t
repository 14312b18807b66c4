# Bounds below zero count from the end; what is left out is the start, the end, or every coordinate.
tensor A i64[4,6] csr = (0,0):1 (1,1):2 (2,3):3 (3,5):4 (3,2):5 (2,4):6
expr y(i) = A(i(-2:),j(:-1)) + A(i(:2),j(1:)) + A(i(::2),j(-5::1))
> out all-backends
y = 9 16
