# One variable is a mode of the result by itself, so each row has one element, and nothing has to be found first.
tensor b i64[4] dense = 2 0 2 1
tensor v f64[4] dense = 1 2 4 8
result H[4,3] csr
expr H(i,b(i)) = v(i)
> cin
forall i forall c H(i,c) = where(c == b(i), v(i), 0.0)
> graph
H(i,c).1 located, H(i,c).2 appended
i over the dimension
  c over [c == b(i)], with room for all
    H(i,c) = v(i), appended unless it is the fill value
> out all-backends
H = (0,2):1 (1,0):2 (2,2):4 (3,1):8
