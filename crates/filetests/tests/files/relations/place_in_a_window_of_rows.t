# A block of a sparse matrix takes what another one stores; what it does not store is gone.
tensor A f64[4,4] csr = (0,0):1 (1,1):2 (1,3):3 (2,2):4 (3,1):5
tensor B f64[2,2] csr = (0,1):7
expr A(i(1:3),j(2:)) = B(i,j)
> cin
forall c forall c2 forall c1 forall c3 A(c,c1) = where((c2 == c - 1) & (c3 == c1 - 2), where((c >= 1) & (c <= 2) & (c1 >= 2) & (c1 <= 3), B(c2,c3), A_old(c,c1)), 0.0)
> graph
A(c,c1).1 located, A(c,c1).2 appended
c over the dimension
  c2 over [c2 == c - 1]
    c1 over regions of A_old(c,c1).2, [c1 <= 3], kept to [c1 >= 2], with room for all
      in A_old(c,c1).2 & [c1 <= 3]
        c3 over regions of B(c2,c3).2, [c3 == c1 - 2], kept to [c3 == c1 - 2]
          in B(c2,c3).2 & [c3 == c1 - 2]
            A(c,c1) = where((c >= 1) & (c <= 2), B(c2,c3), A_old(c,c1)), appended unless it is the fill value
          in [c3 == c1 - 2]
            A(c,c1) = where((c >= 1) & (c <= 2), 0.0, A_old(c,c1)), appended unless it is the fill value
      in [c1 <= 3]
        c3 over B(c2,c3).2, kept to [c3 == c1 - 2]
          A(c,c1) = where((c >= 1) & (c <= 2), B(c2,c3), 0.0), appended unless it is the fill value
      in A_old(c,c1).2
        c3 over [c3 == c1 - 2]
          A(c,c1) = A_old(c,c1), appended unless it is the fill value
> out all-backends
A = (0,0):1 (1,1):2 (1,3):7 (3,1):5
