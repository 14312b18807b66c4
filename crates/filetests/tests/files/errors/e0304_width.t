# No such index width.
tensor A f64[3,4] "csr; pos = i7" =
expr y(i) = A(i,j)
> error E0304
error[E0304]: `i7` is no index width (u8, u16, u32, i32, i64)
 --> format of A:1:12
  |
1 | csr; pos = i7
  |            ^^
  |
  = help: a format is a preset (dense, sv, csr, csc, dcsr, dcsc, csf, coo, coo_aos, hash, dok, bytemap, bitmap, ragged, lil, rle, ell, jad, dia, banded, sky, lower, upper, sym, bcsr, bcsc, sell, csb, hicoo, modegeneric), TACO letters (`ds`, `ds:1,0`), or in full `(i,j) -> (j,i) : dense, compressed ; fill = 0 ; pos = i64 ; crd = i32` with levels dense, compressed, singleton, masked, bitmap, sliced, squeezed, range, offset, block, ragged, hashed, compressed_aos, singleton_aos, list, runs, banded, lower, upper, skyline
