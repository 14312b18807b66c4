# Matricised tensor times Khatri-Rao product.
tensor X f64[3,3,2] csf = (0,0,1):1 (0,2,0):2 (2,1,1):3 (2,1,0):4
tensor B f64[3,2] dense = 1 2 3 4 5 6
tensor C f64[2,2] dense = 1 10 100 1000
expr Y(i,r) = X(i,j,k) * B(j,r) * C(k,r)
> cin
forall i forall j forall k forall r Y(i,r) += X(i,j,k) * B(j,r) * C(k,r)
> graph
i over X(i,j,k).1
  j over X(i,j,k).2
    k over X(i,j,k).3
      r over the dimension
        Y(i,r) += X(i,j,k) * B(j,r) * C(k,r)
> out
Y = 110 2120 0 0 912 12160
