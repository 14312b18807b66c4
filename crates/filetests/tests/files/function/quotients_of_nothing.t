# The integer 0 divided by anything is 0, so nothing is visited beside A; of floats it is NaN beside 0.
tensor A i64[2,4] csr = (0,1):7 (1,0):-7 (1,3):5
tensor x i64[4] dense = 0 2 0 0
expr y(i,j) = A(i,j) // (x(j) + 3) + A(i,j) % x(j)
> graph
y(i,j).1 located, y(i,j).2 appended
i over the dimension
  j over A(i,j).2, with room for all
    y(i,j) = A(i,j) // (x(j) + 3) + A(i,j) % x(j), appended
> out
y = 0 2 0 0 -3 0 0 1
