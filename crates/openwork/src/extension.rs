//! Level formats of other crates.
//!
//! A level format has three parts, none of which knows the others: its declaration ([`LevelSpec`]), its arrays in
//! memory ([`storage::LevelStorage`]: pack, check, walk), and its code in kernels ([`code::LevelFormat`]: iterate,
//! and where it can, locate, seek, append or insert). [`register_level`] makes all three known to the process. From then on
//! format text may name the level anywhere, tensors are packed, read, written and converted with it, and statements walk
//! it.
//!
//! Sessions take the registered levels when they are made, and [`Session::global`](crate::Session::global), which
//! [`einsum`](crate::einsum) and [`compile`](crate::compile) use, is made once: register first.
//!
//! What a kernel can do with the level is what its [`code::LevelFormat`] returns. With iteration alone it works in every
//! statement as an operand; as a result it is packed from an intermediate format after the kernel, unless the level is
//! appended to or inserted into. `crates/example-delta-level` has one level of either kind, and
//! [`levels_conformance!`](crate::levels_conformance) tests what a level claims.

pub use openwork_format::level::{
    ArrayDecl, ArrayRole, Assembly, Coords, Edges, Empties, InsertBy, Level, LevelSpec, Needs, Props,
};
use openwork_format::specs;
use std::sync::Arc;

pub mod conformance;

/// A level in memory.
pub mod storage {
    pub use openwork_storage::levels::{
        Build, Entries, Groups, IndexArray, LevelStorage, PackedLevel, Parents, Site, Tuples, View,
    };
}

/// A level in kernels, and the loops that it is made of.
pub mod code {
    pub use openwork_algebra::Prim;
    pub use openwork_levels::{
        Append, ChildTest, CoordOrder, CoordSource, EmptySlots, Gaps, InsideDim, Iterate, LevelCounts,
        LevelFormat, LevelIr, Locate, Place, RemapGiven, Seek, Shape, Sought, Structs, WalkStart, insert,
        segments,
    };
    pub use openwork_loops::{BufId, Expr, LoopKernel, LoopMode, Status, Stmt, VarId, build};
}

/// Makes a level format known to the whole process; once more changes nothing. Sessions made before do not know it.
///
/// # Panics
/// If the three parts have different names, or the name is that of a built-in level or of another crate's.
pub fn register_level(
    spec: &'static LevelSpec,
    storage: &'static dyn storage::LevelStorage,
    code: Arc<dyn code::LevelFormat>,
) {
    let name = spec.name;
    assert_eq!(storage.name(), name, "the storage is that of another level");
    assert_eq!(code.spec().name, name, "the code is that of another level");
    specs::register(spec);
    openwork_storage::levels::register(storage);
    openwork_levels::register(code);
}
