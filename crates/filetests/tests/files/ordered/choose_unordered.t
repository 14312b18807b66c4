# Lists without an order are sorted first.
tensor A f64[3,4] "(i,j) -> (i,j) : dense, compressed(unordered)" = (0,3):1 (0,1):2 (2,2):4 (2,0):5
expr y(i) = choose(j, A(i,j))
> out all-backends
y = 2 0 5
