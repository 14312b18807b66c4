# On a diagonal of both, one may store nothing but zeros where the other has an element.
tensor A f64[2,3] dia = (1,1):0 (0,2):-2 (1,2):-1 (0,1):1 (0,0):0 (1,0):3
tensor B f64[2,3] dia = (0,0):-2 (0,1):4 (0,2):-3 (1,0):4 (1,1):0 (1,2):0
result y f64 dense
expr y(i,j) = B(j,i) + A(j,i)
> graph
d over regions of B(d,j,i).1, A(d,j,i).1
  in B(d,j,i).1 & A(d,j,i).1
    j over B(d,j,i).2, looked up in A(d,j,i).2
      i once, at B(d,j,i).3 and A(d,j,i).3
        y(i,j) = B(d,j,i) + A(d,j,i)
  in B(d,j,i).1
    j over B(d,j,i).2
      i once, at B(d,j,i).3
        y(i,j) = B(d,j,i)
  in A(d,j,i).1
    j over A(d,j,i).2
      i once, at A(d,j,i).3
        y(i,j) = A(d,j,i)
> out
y = -2 7 5 0 -5 -1
