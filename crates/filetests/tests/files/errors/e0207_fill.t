# A fill value that the dtype does not have.
tensor A u8[3] "sv; fill = -1" =
expr y(i) = A(i)
> error E0207
error[E0207]: the fill `-1` of `A` is no u8
