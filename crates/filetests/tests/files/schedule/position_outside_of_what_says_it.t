# A position is known once the variables that say it are.
tensor x f64[4] dense = 10 11 12 13
tensor p i64[3] dense = 2 0 3
expr y(i) = x(p(i))
schedule reorder(c,i)
> error E0813
error[E0813]: `c` is the position p(i), so its loop must be inside of the one over `i`
 --> schedule:1:1
  |
1 | reorder(c,i)
  | ^^^^^^^^^^^^
  |
  = help: reorder the loops, compute into a workspace, or store that tensor in another order
