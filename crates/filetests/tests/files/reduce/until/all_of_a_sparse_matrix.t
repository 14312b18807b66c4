# Counting what is stored ends with the reduction.
tensor A bool[2,3] csr = (0,0):true (0,1):false (1,2):true
expr y = all(i, j, A(i,j))
> graph
where t1
  i over the dimension
    j over A(i,j).2
      t1 += stored(A(i,j), 1)
then
  where t
    i over the dimension, until t is false
      j over A(i,j).2, until t is false
        t &= stored(A(i,j))
  then
    y = with_fill(all, t, t1, false, i, j)
> out
y = false
