tensor A f64[3,2] csr = (0,0):1 (2,1):4
tensor B f64[2,2] csr = (0,0):1 (1,0):5
result Y sv
expr Y(k) = A(l,k) + B(k,k) * 0
> graph
Y(k).1 appended
where t in slots with bits, taken out as it is read
  l over the dimension
    k over A(l,k).2
      t(k) += A(l,k), inserted
then
  k over t(k).1, with room for all
    Y(k) = t(k), appended
> out
Y = 1 4
