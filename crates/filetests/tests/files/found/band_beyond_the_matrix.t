# Rows below the last one that reaches into the matrix have no slots.
tensor B f64[2,0] dense =
tensor y f64[2,0] banded:0,1 =
expr y(i,j) *= B(i,j)
> out
y =
