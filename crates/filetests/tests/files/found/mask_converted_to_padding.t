# B is converted to a format with padding, beside which an element of A may be stored though it comes to nothing.
tensor A i64[3,2] "(i,j) -> ((i&1)|((j&1)<<1), i, j) : dense, dense, dense" = (1,1):0 (2,1):2
tensor B i64[3,2] "(i,j) -> (i,j) : compressed, dense" = (1,1):5 (0,0):5
tensor y f64[2,3] "sell(2); fill = 5" = (0,1):1 (0,2):3 (1,0):3
expr y(k,j) += A(j,k) & B(j,k)
> cin
forall k forall j y(k,j) = y_old(k,j) + f64(A(j,k) & B(j,k))
> graph
y(k,j).1 located, y(k,j).2 appended
k over the dimension, beside B(j,k).1
  in B(j,k).1
    j over regions of A(j,k).2, y_old(k,j).2, with room for all
      in A(j,k).2 & y_old(k,j).2
        y(k,j) = y_old(k,j) + f64(A(j,k) & B(j,k)), appended
      in A(j,k).2
        y(k,j) = 5.0 + f64(A(j,k) & B(j,k)), appended
      in y_old(k,j).2
        y(k,j) = y_old(k,j), appended
  in none
    j over y_old(k,j).2, with room for all
      y(k,j) = y_old(k,j), appended
> out
y = 5 1 3 3 5 5
