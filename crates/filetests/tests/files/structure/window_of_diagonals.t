# What a tensor stores is taken first, and a part of that where no kernel walks it.
tensor M f64[4,4] dia = (0,0):1 (1,1):2 (2,2):3 (0,1):5
tensor x f64[2,4] dense = (0,0):1 (0,1):2 (1,1):3 (1,2):9 (0,3):1 (1,3):1
expr y(i,j) = x(i,j) where !structure(M(i(0:2),j))
> out
y = 0 0 0 1 0 0 9 1
