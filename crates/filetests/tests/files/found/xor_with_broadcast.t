# One side of the symmetric difference does not have every variable.
tensor A bool[1] s =
tensor y bool[1,2,1] dds = (0,1,0):true
expr y(k,j,i) = A(i) ^ y(k,j,i)
> out
y = false true
