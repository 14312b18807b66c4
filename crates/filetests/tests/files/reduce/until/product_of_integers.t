# Rows of integers run to their end: a zero is not likely. The loop over rows asks.
tensor A i64[3,3] dense = (0,0):2 (0,1):3 (0,2):1 (1,0):0 (1,1):5 (1,2):1 (2,0):1 (2,1):1 (2,2):1
expr y = prod(i, j, A(i,j))
> graph
where t
  i over the dimension, until t is 0
    j over the dimension
      t *= A(i,j)
then
  y = t
> out
y = 0
