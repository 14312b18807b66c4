# Rows of an image are found, and what they store is walked, also beside the border, where a position is none.
tensor z f64[24,30] csr = (0,0):1 (0,29):2 (9,13):4 (11,10):8 (23,1):16 (23,29):32
tensor b f64[3,3] dense = 1 2 3 4 5 6 7 8 9
result C f64 csr
expr C(i,j) = padded(z(i+r-1,j+t-1)) * b(r,t)
> cin
forall i (forall j C(i,j) = t1(j)) where (forall r forall c forall t forall c1 forall j t1(j) += where((c == i + r - 1) & (j == c1 - t + 1), where((i + r - 1 >= 0) & (i + r - 1 < 24), z(c,c1), 0.0) * b(r,t), 0.0))
> graph
C(i,j).1 located, C(i,j).2 appended
i over the dimension
  where t1
    r over [i + r - 1 < 24], kept to [i + r - 1 >= 0]
      c over [c == i + r - 1]
        if z(c,c1).2 has elements
          t over the dimension
            c1 over z(c,c1).2
              j over [j == c1 - t + 1]
                t1(j) += z(c,c1) * b(r,t)
  then
    j over the dimension
      C(i,j) = t1(j), appended unless it is the fill value
> out all-backends
C = (0,0):5 (0,1):4 (0,28):12 (0,29):10 (1,0):2 (1,1):1 (1,28):6 (1,29):4 (8,12):36 (8,13):32 (8,14):28 (9,12):24 (9,13):20 (9,14):16 (10,9):72 (10,10):64 (10,11):56 (10,12):12 (10,13):8 (10,14):4 (11,9):48 (11,10):40 (11,11):32 (12,9):24 (12,10):16 (12,11):8 (22,0):144 (22,1):128 (22,2):112 (22,28):288 (22,29):256 (23,0):96 (23,1):80 (23,2):64 (23,28):192 (23,29):160
