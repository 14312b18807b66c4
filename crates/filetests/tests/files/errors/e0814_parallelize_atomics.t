# No backend has atomics.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule parallelize(i,CPUThread,Atomics)
expr y(i) = B(i,j) * x(j)
> error E0814
error[E0814]: no backend has the strategy `Atomics` for rounds that race
 --> schedule:1:25
  |
1 | parallelize(i,CPUThread,Atomics)
  |                         ^^^^^^^
  |
  = help: say ParallelReduction: every thread has a result of its own
