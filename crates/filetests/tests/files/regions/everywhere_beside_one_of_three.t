# Where `c(j)` is not stored, columns are visited that A or B store, and none beside them.
tensor A f64[3,4] dcsr = (0,0):3 (2,1):1
tensor B f64[3,4] dcsr = (2,1):2 (2,3):5
tensor c f64[3] s = (0):4
tensor y f64[3,4] dcsr =
expr y(j,i) = hypot(A(j,i) + B(j,i), c(j))
> graph
y(j,i).1 appended, y(j,i).2 appended
j over regions of A(j,i).1, B(j,i).1, c(j).1
  in A(j,i).1 & B(j,i).1 & c(j).1
    i over the dimension, beside A(j,i).2 and B(j,i).2
      in A(j,i).2 & B(j,i).2
        y(j,i) = hypot(A(j,i) + B(j,i), c(j)), appended unless it is the fill value
      in A(j,i).2
        y(j,i) = hypot(A(j,i), c(j)), appended unless it is the fill value
      in B(j,i).2
        y(j,i) = hypot(B(j,i), c(j)), appended unless it is the fill value
      in none
        y(j,i) = hypot(0.0, c(j)), appended unless it is the fill value
  in A(j,i).1 & B(j,i).1
    i over regions of A(j,i).2, B(j,i).2, with room for all
      in A(j,i).2 & B(j,i).2
        y(j,i) = hypot(A(j,i) + B(j,i), 0.0), appended
      in A(j,i).2
        y(j,i) = hypot(A(j,i), 0.0), appended
      in B(j,i).2
        y(j,i) = hypot(B(j,i), 0.0), appended
  in A(j,i).1 & c(j).1
    i over the dimension, beside A(j,i).2
      in A(j,i).2
        y(j,i) = hypot(A(j,i), c(j)), appended unless it is the fill value
      in none
        y(j,i) = hypot(0.0, c(j)), appended unless it is the fill value
  in B(j,i).1 & c(j).1
    i over the dimension, beside B(j,i).2
      in B(j,i).2
        y(j,i) = hypot(B(j,i), c(j)), appended unless it is the fill value
      in none
        y(j,i) = hypot(0.0, c(j)), appended unless it is the fill value
  in A(j,i).1
    i over A(j,i).2, with room for all
      y(j,i) = hypot(A(j,i), 0.0), appended
  in B(j,i).1
    i over B(j,i).2, with room for all
      y(j,i) = hypot(B(j,i), 0.0), appended
  in c(j).1
    i over the dimension
      y(j,i) = hypot(0.0, c(j)), appended unless it is the fill value
> out
y = 5 4 4 4 0 0 0 0 0 3 0 5
