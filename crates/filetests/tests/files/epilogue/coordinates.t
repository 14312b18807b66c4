# A list of coordinates is walked by one loop, after the start.
tensor W f64[3,4] coo = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor x f64[4] dense = 1 2 3 4
tensor b f64[3] dense = 10 -100 30
expr y(i) = W(i,j) * x(j) + b(i)
> cin
{forall i y(i) = b(i); forall i forall j y(i) += W(i,j) * x(j)}
> out
y = 19 -100 48
