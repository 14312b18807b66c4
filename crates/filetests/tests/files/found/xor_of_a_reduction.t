# The symmetric difference of a value and a reduction over another variable.
tensor A bool[1,1] uq:1,0 =
tensor B bool[3] dense =
tensor y bool[1,1] ds =
expr y(j,i) ^= B(k) <= A(i,j)
> out
y = true
