# NaN is no number, so nothing equals it; f32 takes it as its own.
tensor A f32[3] dense = 1 2 4
expr y(i) = max(A(i), nan)
> cin
forall i y(i) = max(A(i), f32(NaN))
> out
y = NaN NaN NaN
