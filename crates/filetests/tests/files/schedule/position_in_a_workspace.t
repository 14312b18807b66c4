# A comparison in a workspace says no position any more.
tensor x f64[4] dense = 10 11 12 13
tensor p i64[] dense = 2
dim i = 2
expr y(i) = x((p))
schedule precompute(c == p, {c}, w0, bitmap)
> error E0813
error[E0813]: the comparison that says `c` must stay inside of its loop
 --> schedule:1:1
  |
1 | precompute(c == p, {c}, w0, bitmap)
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: reorder the loops, compute into a workspace, or store that tensor in another order
