# Complex numbers have no order.
tensor A c128[3,4] csr =
expr y(i) = argmax(j, A(i,j))
> error E0204
error[E0204]: no value of dtype c128 is the smallest or largest
 --> statement:1:8
  |
1 | y(i) = argmax(j, A(i,j))
  |        ^^^^^^^^^^^^^^^^^
