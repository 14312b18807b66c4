//! The README and the chapters of the guide whose blocks of Rust are tests of this crate.

macro_rules! documents {
    ($($name:ident: $path:literal,)*) => {$(
        #[doc = include_str!($path)]
        pub struct $name;
    )*};
}

documents! {
    Readme: "../../../README.md",
    Rust: "../../../guide/src/rust.md",
    Phases: "../../../guide/src/phases.md",
    Iterations: "../../../guide/src/iterations.md",
}
