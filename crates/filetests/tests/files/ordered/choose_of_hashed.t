# Rows come in any order, and again and again, in a table of coordinates: it is sorted first.
tensor A f64[3,8] dok = (0,7):1 (0,1):2 (2,6):4 (2,0):5 (2,3):6 (1,4):7 (1,2):8 (0,5):9
expr y(i) = choose(j, A(i,j))
> out all-backends
y = 2 8 5
