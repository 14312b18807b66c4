# Where only the old y has a row, nothing is added to it: the columns of A1 are no elements there.
tensor A1 i64[1,1] "(i,j) -> (j,i) : compressed(unordered), squeezed" = (0,0):1
tensor A2 i64[1] "s; pos = i64; crd = i64" =
tensor A3 i64[1] "(i) -> (i/3, i%3, i) : compressed_aos(nonunique), singleton_aos, block" =
tensor y i64[1,2,1] csf = (0,1,0):1
expr y(i,j,l) max= sum(k, A1(k,l)) * (A2(i) + A3(i))

> out
y = 0 1
