# Free buckets of the hash table have places in the levels below, which are empty.
tensor A f64[1,3] "(i,j) -> (i+j,j,i) : hashed, squeezed, singleton" = (0,0):1 (0,1):4 (0,2):8
expr y(i,j) = A(i,j) + 0.5
> out
y = 1.5 4.5 8.5
