# A diagonal on the left.
tensor A f64[3,4] csr = (0,1):2
tensor x f64[3] dense = 1 2 3
expr Y(i,i) = x(i)
> error E0209
error[E0209]: `i` appears twice on the left
 --> statement:1:5
  |
1 | Y(i,i) = x(i)
  |     ^
  |
  = help: assign to distinct indices, or update what is there: +=
