# A product is computed where the comparison holds.
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,0):4 (2,2):5
tensor B f64[3,3] csr = (0,0):1 (0,1):2 (1,2):3 (2,0):4 (2,1):5
result C csr
expr C(i,k) = A(i,j) * B(j,k) * (k <= i)
> graph
C(i,k).1 located, C(i,k).2 appended
i over the dimension
  where t in slots with bits, taken out as it is read
    j over A(i,j).2
      k over B(j,k).2, kept to [k <= i]
        t(k) += A(i,j) * B(j,k), inserted
  then
    k over t(k).1, with room for all
      C(i,k) = t(k), appended unless it is the fill value
> out all-backends
C = (0,0):9 (2,0):24 (2,1):33
