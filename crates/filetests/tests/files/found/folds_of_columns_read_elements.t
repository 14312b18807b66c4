# What is folded along the rows has a place for every column: it is read where a row has elements, and nowhere else.
tensor A f64[3,4] csr = (0,1):2 (0,3):-1 (2,1):0.5 (2,0):3
expr y(j) = logaddexp(i, A(i,j))
> graph
where t
  i over the dimension
    j over A(i,j).2
      t(j) max= stored(A(i,j))
then
  where t1
    i over the dimension
      j over A(i,j).2
        t1(j) += stored(A(i,j), 1)
  then
    where t2
      where t3
        i1 over the dimension
          j over A(i1,j).2
            t3(j) max= stored(A(i1,j))
      then
        where t4
          i1 over the dimension
            j over A(i1,j).2
              t4(j) += stored(A(i1,j), 1)
        then
          i over the dimension
            j over A(i,j).2
              t2(j) += stored(A(i,j), exp(A(i,j) - min(max(with_fill(max, t3(j), t4(j), 0.0, i1), f64(-1.7976931348623157e308)), 1.7976931348623157e308)))
    then
      j over the dimension
        y(j) = min(max(with_fill(max, t(j), t1(j), 0.0, i), f64(-1.7976931348623157e308)), 1.7976931348623157e308) + log(with_fill(sum, t2(j), t1(j), exp(0.0 - min(max(with_fill(max, t(j), t1(j), 0.0, i), f64(-1.7976931348623157e308)), 1.7976931348623157e308)), i))
> out
y = 3.094922956420961 2.3063557122291467 1.0986122886681096 0.861994804058251
