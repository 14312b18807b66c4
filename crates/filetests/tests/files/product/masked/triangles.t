# A masked product that is added up: three edges that close.
tensor L f64[5,5] csr = (1,0):1 (2,0):1 (2,1):1 (3,1):1 (3,2):1 (4,0):1
expr t = sum(i, k, L(i,k) * sum(j, L(i,j) * L(j,k)))
> graph
where t1
  i over the dimension
    where t2 in slots, marked by L(i,k).2
      j over L(i,j).2
        k over L(j,k).2
          t2(k) += L(i,j) * L(j,k), inserted
    then
      k over L(i,k).2, looked up in t2(k).1
        t1 += L(i,k) * t2(k)
then
  t = t1
> out
t = 2
