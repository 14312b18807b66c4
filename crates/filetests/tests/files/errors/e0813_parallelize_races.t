# Rounds that add to the same element would race.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule reorder(j,i); parallelize(j,CPUThread,NoRaces)
expr y(i) = x(i) * x(j)
> error E0813
error[E0813]: rounds of the loop over `j` all write y(i), so they would race
 --> schedule:1:27
  |
1 | reorder(j,i); parallelize(j,CPUThread,NoRaces)
  |                           ^
  |
  = help: reorder so that a variable of the result is outermost, or say ParallelReduction
