//! Tensors in memory, and the files they come from and go to.
//!
//! | module | what lives there |
//! |---|---|
//! | [`buffer`] | one contiguous array of one dtype, owned or borrowed |
//! | [`tensor`] | a tensor in a format: the arrays of every level, and the values |
//! | [`coords`] | unordered coordinate lists, the common ground of files, generators and formats |
//! | [`files`] | MatrixMarket and FROSTT readers and writers |
//! | [`mod@pack`], [`mod@unpack`] | from coordinates into a format and back |
//! | [`proof`] | the proof that arrays are a tensor |
//! | [`levels`] | how the arrays of each level format are kept, checked, walked and built; user-defined levels |
//! | `cancel` | asking work on another thread to stop |
//! | [`memory`] | how much memory tensors may take |
//! | [`structure`] | the pattern of a matrix in numbers |
//! | `canonical` | arrays that list coordinates in any order |
//! | `interop` | conversions to and from the types of other crates, behind features |
//! | `given` | tensors from arrays of a program's own, moved or lent |
//! | `shown` | tensors as text |
//! | `fingerprint` | fingerprints that tell whether two tensors store the same elements |
//! | `holds` | the stored elements of a tensor, as truth values |
//! | `parallel` | work on many elements, spread over threads |
//! | `looked` | the values at pairs of coordinates |
//! | `joined` | compressed rows below or beside one another |
//! | `picked` | rows and columns of compressed rows, in any order |
//! | `search` | the elements whose modes are asked for, level by level |
//! | `ascending` | the values of every row in order |
//! | `select` | what indices and slices keep, the first elements |
//! | `slots` | from every value to marks beside slots, and back |
//! | `taken` | coordinates of a mode in another order |
//! | `topk` | the largest or smallest elements of every row |
//! | `turn` | dense tensors in another order of the modes |
//! | `view` | tensors that read another one's arrays in place |
//! | `widths` | the structure of a tensor in other index widths |
//! | [`generate`] | synthetic tensors |
//!
//! Nothing here knows index notation, loops or kernels. A level format enters through one file under `levels/`, or from
//! outside through [`levels::register`].
//!
//! ```
//! use openwork_algebra::{DType, Scalar};
//! use openwork_format::presets;
//! use openwork_storage::{Coo, pack};
//!
//! let entries = [(vec![2, 0], Scalar::F64(3.0)), (vec![0, 1], Scalar::F64(1.0))];
//! let a = pack(&Coo::from_entries(&[3, 2], DType::F64, &entries)?, &presets::csr(), Scalar::F64(0.0))?;
//! assert_eq!(a.level(1).arrays[0].as_slice::<i64>(), Some(&[0, 1, 1, 2][..]));
//! assert_eq!(a.get(&[2, 0]), Some(Scalar::F64(3.0)));
//! # Ok::<(), openwork_base::Error>(())
//! ```

mod alternates;
mod block;
mod blocks;
pub mod buffer;
pub mod coords;
pub mod element;
pub mod error;
pub mod files;
mod fingerprint;
pub mod generate;
pub mod index;
mod keys;
pub mod levels;
mod meet;
pub mod memory;
pub mod pack;
mod place;
pub mod proof;
pub mod structure;
pub mod tensor;
pub mod unpack;
mod vectors;

mod arrays;
mod ascending;
mod bits;
mod build;
mod canonical;
mod check;
mod given;
mod holds;
#[cfg(any(feature = "faer", feature = "nalgebra-sparse", feature = "ndarray", feature = "sprs"))]
mod interop;
mod joined;
mod known;
mod looked;
mod mended;
mod parallel;
mod path;
mod picked;
mod random;
mod rearrange;
mod rows;
mod runs;
mod search;
mod select;
mod shown;
mod slots;
mod sort;
mod spare;
mod stored;
mod symmetric;
mod taken;
mod topk;
mod turn;
mod view;
mod walk;
mod widths;

pub use ascending::sort_ascending;
pub use buffer::{Buffer, Writers};
pub use canonical::canonical;
pub use coords::Coo;
pub use element::Element;
pub use given::{BorrowedArray, Count, TensorView};
pub use joined::join_matrices;
pub use looked::looked_up;
pub use openwork_base::Cancel;
pub use pack::{Footprint, footprint, pack, repack, try_rearrange};
pub use proof::Maker;
pub use select::{KeptCoords, first, select};
pub use slots::add_marks;
pub use spare::Spare;
pub use taken::take_coordinates;
pub use tensor::{LevelArrays, Tensor};
pub use topk::{First, topk};
pub use unpack::{elements, unpack};
