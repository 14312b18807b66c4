# Where A has a coordinate of k it has all of j, most with nothing below: a sum of nothing is no element.
tensor A bool[3,2,1] sds = (2,1,0):true
tensor y bool[2,3] ss =
expr y(j,k) max= A(k,j,i)
> out
y = false false false false false true
