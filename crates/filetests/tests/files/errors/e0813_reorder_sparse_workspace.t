# A loop that reads a sparse workspace stays inside of its where statement.
tensor A f64[3,2] dense = 1 2 3 4 5 6
schedule precompute(A(j,i), {j}, {jw}, w, hash); reorder(j,i)
expr y(i) = A(j,i)
> error E0813
error[E0813]: the loop over `j` cannot be split: a loop inside of it stays around both sides
 --> schedule:1:1
  |
1 | precompute(A(j,i), {j}, {jw}, w, hash); reorder(j,i)
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: reorder so that `j` is further inside, or name that loop's variable too
