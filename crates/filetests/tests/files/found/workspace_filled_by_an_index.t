# The inner sum has no terms, and the workspace holds every i: nothing that is stored leads to an element.
tensor A f64[1] s =
dim k = 1
result y ds:1,0
expr y(i,k) = sum(j, sum(j, A(j)) * (A(i) + j))
> out
y = 0
