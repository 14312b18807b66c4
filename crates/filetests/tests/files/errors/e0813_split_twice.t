# A part is not split again.
tensor x f64[3] dense = 1 1 1
schedule split(i,i0,i1,2); split(i1,a,b,2)
expr y(i) = x(i)
> error E0813
error[E0813]: `i1` is a part of something else already, or has parts
 --> schedule:1:19
  |
1 | split(i,i0,i1,2); split(i1,a,b,2)
  |                   ^^^^^^^^^^^^^^^
  |
  = help: split a loop once
