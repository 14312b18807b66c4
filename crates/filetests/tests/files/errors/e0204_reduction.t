# Complex numbers have no order.
tensor A c128[3] sv =
expr y = min(i, A(i))
> error E0204
error[E0204]: `min` cannot reduce values of dtype c128
 --> statement:1:5
  |
1 | y = min(i, A(i))
  |     ^^^^^^^^^^^^
