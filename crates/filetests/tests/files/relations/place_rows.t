# Which row comes last is found once for all of its elements.
tensor p i64[4] dense = (0):2 (2):2 (3):1
tensor A f64[4,3] csr = (0,0):1 (0,2):2 (1,1):4 (3,0):8 (3,1):16
result C[3,3] csr
expr C(p(i),j) = A(i,j)
> cin
(forall c forall c1 forall j C(c,j) = where(c1 == t(c), where(t(c) >= 0, A(c1,j), 0.0), 0.0)) where (forall i forall c t(c) max= where(c == p(i), i, i64(-9223372036854775808)))
> graph
C(c,j).1 located, C(c,j).2 appended
where t
  i over the dimension
    c over [c == p(i)]
      t(c) max= i
then
  c over the dimension
    c1 over [c1 == t(c)]
      j over A(c1,j).2, with room for all
        C(c,j) = where(t(c) >= 0, A(c1,j), 0.0), appended unless it settles at the fill value
> out all-backends
C = (0,1):4 (1,0):8 (1,1):16
