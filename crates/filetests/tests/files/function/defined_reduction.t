# A function that reduces, from what leaves every value as it is.
tensor A i64[3,4] csr = (0,0):12 (0,3):10 (2,1):6
result y i64 dense
expr def bits(x, y): commutative, associative, idempotent, identity(-1), annihilator(0) = x & y; y(i) = bits(j, A(i,j))
> cin
forall i ((y(i) = with_fill(bits, t, t1, 0, j)) where (forall j t bits= stored(A(i,j)))) where (forall j t1 += stored(A(i,j), 1))
> graph
i over the dimension
  where t1
    j over A(i,j).2
      t1 += stored(A(i,j), 1)
  then
    where t
      j over A(i,j).2
        t bits= stored(A(i,j))
    then
      y(i) = with_fill(bits, t, t1, 0, j)
> out
y = 0 0 0
