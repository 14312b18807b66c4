# An operand in a product inside a sum, and again in another factor: where A and C are stored but B is not, A counts.
tensor A f64[4] sv = (0):1 (2):1
tensor B f64[4] sv = (1):1 (3):1
tensor C f64[4] sv = (0):1 (1):1
expr y(i) = (A(i) * B(i) + C(i)) * (1 + A(i))
> graph
y(i).1 appended
i over regions of A(i).1, B(i).1, C(i).1, with room for all
  in A(i).1 & B(i).1 & C(i).1
    y(i) = (A(i) * B(i) + C(i)) * (1.0 + A(i)), appended
  in A(i).1 & B(i).1
    y(i) = A(i) * B(i) * (1.0 + A(i)), appended
  in A(i).1 & C(i).1
    y(i) = C(i) * (1.0 + A(i)), appended
  in C(i).1
    y(i) = C(i), appended
> lattice i
produce A(i).1 & B(i).1 & C(i).1
produce A(i).1 & B(i).1
produce A(i).1 & C(i).1
produce C(i).1
> out
y = 2 1 0 0
