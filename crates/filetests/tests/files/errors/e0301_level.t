# A level whose name is mistyped.
tensor A f64[3,4] "(i,j) -> (i,j) : dense, compresed" =
expr y(i) = A(i,j)
> error E0301
error[E0301]: unknown level `compresed`
 --> format of A:1:25
  |
1 | (i,j) -> (i,j) : dense, compresed
  |                         ^^^^^^^^^
  |
  = help: did you mean `compressed`? a format is a preset (dense, sv, csr, csc, dcsr, dcsc, csf, coo, coo_aos, hash, dok, bytemap, bitmap, ragged, lil, rle, ell, jad, dia, banded, sky, lower, upper, sym, bcsr, bcsc, sell, csb, hicoo, modegeneric), TACO letters (`ds`, `ds:1,0`), or in full `(i,j) -> (j,i) : dense, compressed ; fill = 0 ; pos = i64 ; crd = i32` with levels dense, compressed, singleton, masked, bitmap, sliced, squeezed, range, offset, block, ragged, hashed, compressed_aos, singleton_aos, list, runs, banded, lower, upper, skyline
