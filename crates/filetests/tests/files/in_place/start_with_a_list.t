# What a sum starts as goes through the gaps of a list: the sums of single precision are as exact as those in place.
tensor A f32[1,3] coo = (0,0):1 (0,2):-1
tensor x f32[3] dense = -2.5 1 1
tensor b f32[1] dense = 0
tensor c f32[1] "sv ; fill = 1" =
expr y(i) = A(i,j) / x(j) + b(i) + c(i)
> cin
{forall i y(i) = b(i) + c(i); forall i forall j y(i) += A(i,j) / x(j)}
> out
y = -0.39999998
