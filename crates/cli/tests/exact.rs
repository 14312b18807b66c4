//! `--exact`: zeros that are not stored meet infinities.

use crate::common::Place;

#[test]
fn exact_products_are_those_of_dense_arrays() {
    let place = Place::new();
    place.put("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 3\n");
    place.put("x.mtx", "%%MatrixMarket matrix array real general\n2 1\ninf\n2\n");
    let statement = "y(i) = A(i,j) * x(j,k)";
    let base = ["run", statement, "-f", "A=csr", "-i", "A=a.mtx", "-i", "x=x.mtx"];
    let usual = place.good(&base);
    assert!(usual.contains("y(0) = 2") && usual.contains("y(1) = inf"), "{usual}");
    let exact = place.good(&[&base[..], &["--exact"]].concat());
    assert!(exact.contains("y(0) = NaN") && exact.contains("y(1) = inf"), "{exact}");
}
