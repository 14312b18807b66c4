# A row of `A0` that is false left the temporary full, for the next one to read.
tensor A0 bool[2,2,2] dense = (0,0,1):true (1,1,0):true
tensor A1 bool[2,3] dense = (0,0):true (0,2):true (1,1):true
schedule precompute(A1(k,l), {l}, w0, list)
expr y(i,j,l) = any(k, (A0(i,j,k) + A0(i,j,k)) * (A1(k,l) + A1(k,l)))
> graph
i over the dimension
  j over the dimension
    k over the dimension
      where w0 in slots with a list, taken out as it is read
        l over the dimension
          w0(l) = A1(k,l), inserted
      then
        l over w0(l).1
          y(i,j,l) |= (A0(i,j,k) + A0(i,j,k)) * (w0(l) + w0(l))
> out
y = (0,0,1):true (1,1,0):true (1,1,2):true
