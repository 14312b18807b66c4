# A sparse vector as a mask, and a result that is added to.
tensor m f64[4] sv = (1):2 (3):1
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,2):5
tensor B f64[3,4] csr = (0,1):1 (0,2):2 (1,3):3 (2,2):4 (2,3):1
tensor C f64[3,4] dense = (0,1):10
expr C(i,k) += m(k) * sum(j, A(i,j) * B(j,k))
> graph
i over the dimension
  where t in slots with bits
    j over A(i,j).2
      k over B(j,k).2
        t(k) += A(i,j) * B(j,k), inserted
  then
    k over the dimension, between m(k).1 and t(k).1
      in m(k).1 & t(k).1
        C(i,k) = C_old(i,k) + m(k) * t(k)
      in none
        C(i,k) = C_old(i,k)
> out
C = (0,1):12 (0,3):2 (1,3):9 (2,3):5
