# A window that runs backwards: the last value that is not 0.
tensor x f64[8] sv = (1):3 (4):5 (6):0
expr y = choose(j, x(j(::-1)))
> out all-backends
y = 5
