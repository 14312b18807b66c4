# What is looked at is written out three times.
tensor A f64[3,3,3,3,3] csf =
expr y = argmin(i, argmin(j, argmin(k, argmin(l, argmin(m, A(i,j,k,l,m))))))
> error E0609
error[E0609]: what `argmin` looks at is too large: it has 198 operations
 --> statement:1:5
  |
1 | y = argmin(i, argmin(j, argmin(k, argmin(l, argmin(m, A(i,j,k,l,m))))))
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: it is computed to find the extreme, and to find where that is; compute it in a statement of its own
