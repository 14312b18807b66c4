# Runs that are narrowed begin and end inside of a run, also beside others.
tensor A f64[3,6] rle = (0,0):1 (0,1):1 (0,2):1 (1,4):2 (1,5):2 (2,0):3 (2,1):3 (2,2):3 (2,3):3
tensor B f64[3,6] csr = (0,2):10 (1,0):20 (1,5):30 (2,3):40
tensor D f64[3,6] rle = (0,0):1 (0,1):1 (1,4):2 (2,2):3 (2,3):3 (2,4):3
expr C(i,j) = A(i,j) * (j >= i) * (j < 5) + B(i,j) + D(i,j) * (j < 2)
> graph
i over the dimension
  j over regions of A(i,j).2, B(i,j).2, D(i,j).2, [j < 5], [j < 2], kept to [j >= i]
    in A(i,j).2 & B(i,j).2 & D(i,j).2 & [j < 5] & [j < 2]
      C(i,j) = A(i,j) + B(i,j) + D(i,j)
    in A(i,j).2 & D(i,j).2 & [j < 5] & [j < 2]
      C(i,j) = A(i,j) + D(i,j)
    in A(i,j).2 & B(i,j).2 & [j < 5]
      C(i,j) = A(i,j) + B(i,j)
    in A(i,j).2 & [j < 5]
      C(i,j) = A(i,j)
    in B(i,j).2 & D(i,j).2 & [j < 2]
      C(i,j) = B(i,j) + D(i,j)
    in B(i,j).2 & [j < 5]
      C(i,j) = B(i,j)
    in B(i,j).2 & [j < 2]
      C(i,j) = B(i,j)
    in D(i,j).2 & [j < 2]
      C(i,j) = D(i,j)
    in [j < 5]
      nothing
    in B(i,j).2
      C(i,j) = B(i,j)
    in [j < 2]
      nothing
> out all-backends
C = (0,0):2 (0,1):2 (0,2):11 (1,0):20 (1,4):2 (1,5):30 (2,2):3 (2,3):43
