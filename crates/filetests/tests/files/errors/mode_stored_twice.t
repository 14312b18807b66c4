tensor A f64[3,3] csr = (0,0):1
result y "(i,j) -> (i/4, j, i%4, j%4, i, j) : dense, compressed, dense, dense, block, block"
expr y(i,j) = A(i,j)
> error E0303
error[E0303]: `j` is stored by two coordinates
 --> format of y:1:1
  |
1 | (i,j) -> (i/4, j, i%4, j%4, i, j) : dense, compressed, dense, dense, block, block
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: a format is a preset (dense, sv, csr, csc, dcsr, dcsc, csf, coo, coo_aos, hash, dok, bytemap, bitmap, ragged, lil, rle, ell, jad, dia, banded, sky, lower, upper, sym, bcsr, bcsc, sell, csb, hicoo, modegeneric), TACO letters (`ds`, `ds:1,0`), or in full `(i,j) -> (j,i) : dense, compressed ; fill = 0 ; pos = i64 ; crd = i32` with levels dense, compressed, singleton, masked, bitmap, sliced, squeezed, range, offset, block, ragged, hashed, compressed_aos, singleton_aos, list, runs, banded, lower, upper, skyline
