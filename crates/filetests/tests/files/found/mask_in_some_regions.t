# A temporary that one region reads beside a list and another one does not: it is kept in one way, without slots for the list.
tensor A0 i64[0,0] dd =
tensor A1 i64[0,0] "(i,j) -> (i/2, #i, i%2, j, i) : sliced, compressed(unordered), list(nonunique), singleton(nonunique), block" =
tensor A2 i64[0,0] "(i,j) -> (i%2, j/2, i, j) : hashed(nonunique), singleton(nonunique), singleton(nonunique), singleton; pos = u16; crd = i32" =
tensor y i64[0,0] sd =
expr def own_two(x, y): {x != 2} & {y != 2} = where((x == 2) | (y == 2), 2, x + y); y(i,k) = own_two(A2(i,k) * sum(j, A0(j,i) * A1(j,k)), y(i,k))
> out
y =
