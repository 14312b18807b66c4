# Empty slots are marked by the largest number where coordinates are unsigned, and nothing is read there.
tensor B f64[2,2,2] dense = (0,0,0):3 (0,0,1):1 (0,1,0):0 (0,1,1):2 (1,0,0):3 (1,0,1):-4 (1,1,0):0 (1,1,1):-4
tensor C f64[2,2] "ell; pos = i32; crd = u32" = (0,0):-4 (0,1):2 (1,0):3
expr y(i) = C(i,j) * B(i,j,i)
> out
y = -12 -12
