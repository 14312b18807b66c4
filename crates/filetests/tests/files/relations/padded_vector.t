# Outside of a tensor there is its fill value.
tensor x f64[5] "sv; fill = 7" = (0):1 (1):2 (3):4
result y dense
expr y(i) = padded(x(i-1)) + x(i) + padded(x(i+1), 100)
> cin
forall i forall c forall c1 y(i) = where((c == i - 1) & (c1 == i + 1), where((i - 1 >= 0) & (i - 1 < 5), x(c), 7.0) + x(i) + where((i + 1 >= 0) & (i + 1 < 5), x(c1), 100.0), 0.0)
> graph
i over the dimension, beside x(i).1
  in x(i).1
    c over regions of x(c).1, [c == i - 1], kept to [c == i - 1]
      in x(c).1 & [c == i - 1]
        c1 over regions of x(c1).1, [c1 == i + 1], kept to [c1 == i + 1]
          in x(c1).1 & [c1 == i + 1]
            y(i) = where((i - 1 >= 0) & (i - 1 < 5), x(c), 7.0) + x(i) + where((i + 1 >= 0) & (i + 1 < 5), x(c1), 100.0)
          in [c1 == i + 1]
            y(i) = where((i - 1 >= 0) & (i - 1 < 5), x(c), 7.0) + x(i) + where((i + 1 >= 0) & (i + 1 < 5), 7.0, 100.0)
      in [c == i - 1]
        c1 over regions of x(c1).1, [c1 == i + 1], kept to [c1 == i + 1]
          in x(c1).1 & [c1 == i + 1]
            y(i) = 7.0 + x(i) + where((i + 1 >= 0) & (i + 1 < 5), x(c1), 100.0)
          in [c1 == i + 1]
            y(i) = 7.0 + x(i) + where((i + 1 >= 0) & (i + 1 < 5), 7.0, 100.0)
  in none
    c over regions of x(c).1, [c == i - 1], kept to [c == i - 1]
      in x(c).1 & [c == i - 1]
        c1 over regions of x(c1).1, [c1 == i + 1], kept to [c1 == i + 1]
          in x(c1).1 & [c1 == i + 1]
            y(i) = where((i - 1 >= 0) & (i - 1 < 5), x(c), 7.0) + 7.0 + where((i + 1 >= 0) & (i + 1 < 5), x(c1), 100.0)
          in [c1 == i + 1]
            y(i) = where((i - 1 >= 0) & (i - 1 < 5), x(c), 7.0) + 7.0 + where((i + 1 >= 0) & (i + 1 < 5), 7.0, 100.0)
      in [c == i - 1]
        c1 over regions of x(c1).1, [c1 == i + 1], kept to [c1 == i + 1]
          in x(c1).1 & [c1 == i + 1]
            y(i) = 14.0 + where((i + 1 >= 0) & (i + 1 < 5), x(c1), 100.0)
          in [c1 == i + 1]
            y(i) = 14.0 + where((i + 1 >= 0) & (i + 1 < 5), 7.0, 100.0)
> out all-backends
y = 10 10 13 18 111
