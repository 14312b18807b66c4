# The result is appended to by the consumer only, not inside the loops of the producer.
tensor B i64[1,4] uq:1,0 = (0,3):7
result y sd
expr y(i,j) = B(i,j)
> out
y = 0 0 0 7
