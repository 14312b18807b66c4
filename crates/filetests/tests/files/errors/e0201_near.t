# A tensor whose name is mistyped.
tensor mass f64[3] dense = 1 2 3
tensor mask f64[3] dense = 1 1 0
expr y(i) = mas(i) * mask(i)
> error E0201
error[E0201]: nothing is known of the tensor `mas`
 --> statement:1:8
  |
1 | y(i) = mas(i) * mask(i)
  |        ^^^
  |
  = help: did you mean `mask`, `mass` or `max`? known tensors are mask, mass; give the others as operands
