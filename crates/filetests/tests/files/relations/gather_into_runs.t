# Runs have a value for every coordinate: one that is found nowhere is 0.
tensor A f64[3,4] csc = (0,0):1 (0,3):2 (2,1):3
tensor s i64[] dense = 2
result C rle
expr C(j) = A((s),j)
> graph
C(j).1 appended
j over the dimension
  where t
    c over A(c,j).2, kept to [c == s]
      t += A(c,j)
  then
    C(j) = t, appended
> out all-backends
C = 0 3 0 0
