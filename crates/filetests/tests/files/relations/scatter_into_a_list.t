# A sparse result takes what arrives out of a workspace.
tensor y f64[9] sv = (1):1 (7):5
tensor p i32[9] dense = (0):7 (3):2 (5):7
tensor x f64[9] sv = (3):8 (5):16
result y sv
expr y(p(i)) += x(i)
> cin
(forall c y(c) = y_old(c) + t(c)) where (forall i forall c t(c) += where(c == i64(p(i)), x(i), 0.0))
> graph
y(c).1 appended
where t
  i over x(i).1
    c over [c == i64(p(i))]
      t(c) += x(i)
then
  c over the dimension, beside y_old(c).1
    in y_old(c).1
      y(c) = y_old(c) + t(c), appended unless it is the fill value
    in none
      y(c) = t(c), appended unless it is the fill value
> out all-backends
y = (1):1 (2):8 (7):21
