# A comparison with an element is a point inside of the loops over what says the element, in whichever order it is written.
tensor p i64[4] dense = (0):2 (1):2 (2):0
tensor x f64[4] dense = (0):1 (1):2 (2):4 (3):8
dim k = 5
expr y(k) = sum(i, x(i) * (k == p(i)))
> graph
i over the dimension
  k over [k == p(i)]
    y(k) += x(i)
> out all-backends
y = 12 0 3 0 0
