# A histogram of pairs; no value says how often it counts a place.
tensor H i64[2,3] dense =
tensor a i64[5] dense = (0):10 (1):3 (2):19 (3):12 (4):4
tensor b i64[5] dense = (0):1 (1):2 (2):4 (3):4 (4):3
expr H(a(i) // 10, b(i) % 3) += 1
> graph
c over the dimension
  c1 over the dimension
    H(c,c1) = H_old(c,c1)
i over the dimension
  c over [c == a(i) // 10]
    c1 over [c1 == b(i) % 3]
      H(c,c1) += 1
> out all-backends
H = 1 0 1 0 3 0
