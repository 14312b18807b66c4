# New values inside of a mask, old ones outside of it.
tensor m f64[2,4] csr = (0,0):1 (0,2):1 (1,3):1
tensor g f64[2,4] csr = (0,0):5 (0,1):6 (1,0):7
tensor p f64[2,4] csr = (0,0):2 (0,1):3 (0,2):4 (1,3):5
result C csr
expr C(i,j) = (m(i,j) * g(i,j) + p(i,j)) * (1 - m(i,j))
> graph
C(i,j).1 located, C(i,j).2 appended
i over the dimension
  j over regions of m(i,j).2, g(i,j).2, p(i,j).2, with room for all
    in m(i,j).2 & g(i,j).2 & p(i,j).2
      C(i,j) = (m(i,j) * g(i,j) + p(i,j)) * (1.0 - m(i,j)), appended
    in m(i,j).2 & g(i,j).2
      C(i,j) = m(i,j) * g(i,j) * (1.0 - m(i,j)), appended
    in m(i,j).2 & p(i,j).2
      C(i,j) = p(i,j) * (1.0 - m(i,j)), appended
    in p(i,j).2
      C(i,j) = p(i,j), appended
> out
C = 0 3 0 0 0 0 0 0
