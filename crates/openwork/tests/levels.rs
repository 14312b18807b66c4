//! Every built-in level format in everything that it claims.

use openwork::levels_conformance;
use openwork_format::specs;

levels_conformance!(dense, &specs::DENSE, ["dense", "(i,j) -> (j,i) : dense, dense", "csr"]);
levels_conformance!(
    compressed,
    &specs::COMPRESSED,
    ["csr", "csc", "dcsr", "(i,j) -> (i,j) : compressed, dense"]
);
levels_conformance!(singleton, &specs::SINGLETON, ["coo", "ell", "jad"]);
levels_conformance!(
    masked,
    &specs::MASKED,
    ["(i,j) -> (i,j) : dense, masked", "(i,j) -> (j,i) : masked, compressed"]
);
levels_conformance!(bitmap, &specs::BITMAP, ["bitmap", "(i,j) -> (i,j) : bitmap, compressed"]);
levels_conformance!(sliced, &specs::SLICED, ["ell", "jad"]);
levels_conformance!(
    squeezed,
    &specs::SQUEEZED,
    ["dia", "(i,j) -> (i+j, i, j) : squeezed, compressed, offset"]
);
levels_conformance!(range, &specs::RANGE, ["dia"]);
levels_conformance!(offset, &specs::OFFSET, ["dia", "(i,j) -> (j-i, i, j) : compressed, compressed, offset"]);
levels_conformance!(
    block,
    &specs::BLOCK,
    [
        "bcsr(2,3)",
        "bcsc(4,4)",
        "(i,j) -> (i/2, j/3, i%2, j%3, i, j) : dense, dense, dense, dense, block, block"
    ]
);
levels_conformance!(ragged, &specs::RAGGED, ["ragged", "sell(4)"]);
levels_conformance!(hashed, &specs::HASHED, ["hash", "dok"]);
levels_conformance!(
    compressed_aos,
    &specs::COMPRESSED_AOS,
    ["(i,j) -> (i,j) : compressed_aos(nonunique), singleton_aos"]
);
levels_conformance!(
    singleton_aos,
    &specs::SINGLETON_AOS,
    ["(i,j) -> (i,j) : compressed_aos(nonunique), singleton_aos"]
);
levels_conformance!(list, &specs::LIST, ["lil", "(i,j) -> (j,i) : dense, list"]);
levels_conformance!(runs, &specs::RUNS, ["rle"]);
levels_conformance!(banded, &specs::BANDED, ["(i,j) -> (i,j) : dense, banded"]);
levels_conformance!(lower, &specs::LOWER, ["(i,j) -> (i,j) : dense, lower"]);
levels_conformance!(upper, &specs::UPPER, ["(i,j) -> (i,j) : dense, upper"]);
levels_conformance!(skyline, &specs::SKYLINE, ["(i,j) -> (i,j) : dense, skyline"]);

#[test]
fn every_level_is_among_them() {
    let tested = include_str!("levels.rs");
    for spec in specs::LEVELS {
        assert!(
            tested.contains(&format!("specs::{},", spec.name.to_uppercase())),
            "{} is not tested",
            spec.name
        );
    }
}
