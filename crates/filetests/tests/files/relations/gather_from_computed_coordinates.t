# What an operand computes from a position is known no earlier than the position: `d` stands inside of the loop over `j`.
tensor A i64[2,4] "(i,j) -> (i, (j)+(1)) : hashed, bitmap" = (0,1):0 (1,1):-2 (0,2):3 (1,0):2 (1,1):-3
tensor p i64[1] dense = (0):0
expr y(i,j) = A(i,p(j))
> cin
forall i forall j forall c y(i,j) = where(c == p(j), A(i,c), 0)
> out all-backends
y = 0 2
