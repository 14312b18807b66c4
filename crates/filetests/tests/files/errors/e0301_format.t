# No such format.
tensor A f64[3,4] csx =
expr y(i) = A(i,j)
> error E0301
error[E0301]: unknown format `csx`
 --> format of A:1:1
  |
1 | csx
  | ^^^
  |
  = help: did you mean `csr`, `csc` or `csf`? a format is a preset (dense, sv, csr, csc, dcsr, dcsc, csf, coo, coo_aos, hash, dok, bytemap, bitmap, ragged, lil, rle, ell, jad, dia, banded, sky, lower, upper, sym, bcsr, bcsc, sell, csb, hicoo, modegeneric), TACO letters (`ds`, `ds:1,0`), or in full `(i,j) -> (j,i) : dense, compressed ; fill = 0 ; pos = i64 ; crd = i32` with levels dense, compressed, singleton, masked, bitmap, sliced, squeezed, range, offset, block, ragged, hashed, compressed_aos, singleton_aos, list, runs, banded, lower, upper, skyline
