# In lists, sums of one variable are windows.
tensor x f64[8] sv = (0):1 (2):4 (3):9 (7):16
result y sv
expr y(i) = x(i) * x(i+1) + x(2*i+1)
> cin
forall i y(i) = x(i(0:-4)) * x(i(1:-3)) + x(i(1::2))
> graph
y(i).1 appended
i over regions of x(i(0:-4)).1, x(i(1:-3)).1, x(i(1::2)).1, with room for all
  in x(i(0:-4)).1 & x(i(1:-3)).1 & x(i(1::2)).1
    y(i) = x(i(0:-4)) * x(i(1:-3)) + x(i(1::2)), appended
  in x(i(0:-4)).1 & x(i(1:-3)).1
    y(i) = x(i(0:-4)) * x(i(1:-3)), appended
  in x(i(1::2)).1
    y(i) = x(i(1::2)), appended
> out all-backends
y = 0 9 36 16
