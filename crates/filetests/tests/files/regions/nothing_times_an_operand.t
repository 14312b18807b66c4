# A literal factor empties a set while its operands stay in the expression.
tensor A f64[2,3] csc = (0,0):1 (1,2):4
tensor x f64[2] sv = (1):7
result y sv
expr y(j) = A(j,i) + x(j) * 0
> graph
y(j).1 appended
where t in slots with bits, taken out as it is read
  i over the dimension
    j over A(j,i).2
      t(j) += A(j,i), inserted
then
  j over t(j).1, with room for all
    y(j) = t(j), appended
> out
y = 1 4
