# A slot that may be empty is no list: its mark is no coordinate at which a gap ends.
tensor B i64[3] dense = (0):4 (2):5
tensor C i64[3] "(i) -> (i) : singleton(padded) ; crd = i32" =
expr T = sum(i, logaddexp2(B(i), C(i)))
> graph
where t
  i over the dimension, beside C(i).1
    in C(i).1
      t += logaddexp2(f64(B(i)), f64(C(i)))
    in none
      t += logaddexp2(f64(B(i)), 0.0)
then
  T = t
> out
T = 10.131856960608793
