# A level with every coordinate does not stand for the regions of operands that are merged without it.
tensor A i64[1] s =
tensor B i64[1] "rle; fill = 5" =
tensor y i64[1] "s; fill = 5" = (0):3
expr y(i) max= B(i) * A(i)
> out
y = 3
