# Outside of what a mask stores; there is no loop for the others.
tensor A f64[4,3] csr = (0,0):1 (0,1):4 (1,1):2 (2,0):3 (2,2):5 (3,2):7
tensor x f64[3] dense = (0):1 (1):2 (2):3
tensor m f64[4] sv = (0):0 (2):1
expr y(i) = A(i,j) * x(j) where !structure(m(i))
> graph
i over the dimension, beside m_stored(i).1
  in m_stored(i).1
    where t
      j over A(i,j).2
        t += A(i,j) * x(j)
    then
      y(i) = where(!m_stored(i), t, 0.0)
  in none
    where t
      j over A(i,j).2
        t += A(i,j) * x(j)
    then
      y(i) = t
> out
y = 0 4 0 21
