tensor A i32[3,3] csc = (0,0):-4 (0,1):-1 (0,2):-2 (1,1):5
expr y(i) = fmax(j, A(i,j))
> out
y = -1 5 0
