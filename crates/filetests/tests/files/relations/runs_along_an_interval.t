# Runs are followed along an interval.
tensor A f64[3,6] rle = (0,0):1 (0,1):1 (0,2):1 (1,4):2 (1,5):2 (2,0):3 (2,1):3 (2,2):3 (2,3):3
expr y(i) = A(i,j) * (j > 1) * (j < 5)
> graph
i over the dimension
  where t
    j over runs of A(i,j).2 but those of the fill value, kept to [j > 1] and [j < 5]
      t += A(i,j)
  then
    y(i) = t
> out all-backends
y = 1 2 6
