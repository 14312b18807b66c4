# Only what is converted alike is one expression.
tensor A f64[2,2] dense = 0.1 0.2 0.3 0.4
schedule precompute(A(i,j), {i,j}, w, dense)
expr y(i,j) = f32(A(i,j)) + A(i,j)
> cin
(forall i forall j y(i,j) = w(i,j) + A(i,j)) where[dense] (forall i forall j w(i,j) = f64(f32(A(i,j))))
> out
y = 0.20000000149011612 0.40000000298023225 0.600000011920929 0.8000000059604645
