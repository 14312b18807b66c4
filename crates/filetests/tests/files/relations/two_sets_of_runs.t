# Runs are narrowed to an interval; what they cannot be narrowed to is asked for as a value.
tensor C i64[2,4,4] "rle; fill = 1" = (0,0,0):0 (0,2,1):3 (1,1,3):4 (1,1,2):4 (0,3,3):0
expr y(k,j) = prod(i, where(3 != k, where(k >= j - 1, C(i,j,k), 2), 2))
> graph
i over the dimension
  j over the dimension
    k over the dimension, beside C(i,j,k).3, kept to [k >= j - 1]
      in C(i,j,k).3
        y(k,j) *= where(3 != k, C(i,j,k), 2)
      in none
        y(k,j) *= 2
> out all-backends
y = 0 1 4 4 1 1 3 4 1 4 1 1 4 4 4 4
