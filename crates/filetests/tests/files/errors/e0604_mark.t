# The largest number marks empty buckets.
tensor A f64[256] sv = (255):1
result B f64 "hash; crd = u8"
expr B(i) = A(i)
> error E0604
error[E0604]: coordinates of `B` go from 0 to 255, beyond u8
 |
 = help: give it wider coordinates: `; crd = i64`
