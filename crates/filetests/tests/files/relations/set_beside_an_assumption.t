# In the exact arithmetic 0 * sqrt(-4) is NaN: what was assumed of the root was assumed where `C` stores nothing, and no set leaves out more.
tensor A i64[2] dense = (1):0
tensor C i64[2,3] banded = (0,1):-4 (0,2):1 (1,0):2 (1,2):-4 (1,0):0
arithmetic exact
expr y(i,j) = (A(i) * (j < 2)) * sqrt(C(i,j))
> cin
forall i forall j y(i,j) = f64(A(i) * i64(j < 2)) * sqrt(f64(C(i,j)))
> graph
y(i,j).1 located, y(i,j).2 appended
i over the dimension
  j over C(i,j).2, with room for all
    y(i,j) = f64(A(i) * i64(j < 2)) * sqrt(f64(C(i,j))), appended unless it is the fill value
> out all-backends
y = 0 NaN 0 0 0 NaN
