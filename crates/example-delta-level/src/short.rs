//! A level that kernels append to and insert into: coordinates of one byte in segments, for at most 256 of them.
//!
//! ```text
//! two parents, children {2, 3, 255} and {0}
//! pos    0           3   4          children of parent p: positions pos[p] .. pos[p + 1]
//! byte   2   3 255   0
//! ```
//! ```
//! use openwork::{Format, FormatExt, Scalar, Tensor, TensorExt, convert, Session};
//! openwork_example_delta_level::register();
//! let entries = [(vec![2, 0], Scalar::F64(2.0)), (vec![0, 1], Scalar::F64(5.0))];
//! let a = Tensor::pack(&[3, 2], &entries, &Format::parse("csc", 2)?)?;
//! let rows = Format::parse("(i,j) -> (i,j) : dense, short", 2)?;
//! let b = convert(Session::global(), &a, &rows)?;
//! assert!(b.direct, "one kernel assembled it");
//! assert_eq!(b.tensor.levels()[1].arrays[1].as_slice::<u8>(), Some(&[1, 0][..]));
//! # Ok::<(), openwork::Error>(())
//! ```

use crate::violation;
use openwork::extension::code::insert::{AssemblyCtx, Insert, Inserted, Nonzero};
use openwork::extension::code::{
    Append, ChildTest, CoordOrder, CoordSource, Expr, Gaps, Iterate, LevelCounts, LevelFormat, LevelIr,
    LoopKernel, Prim, Shape, Status, Stmt, VarId, WalkStart, build, segments,
};
use openwork::extension::storage::{Build, LevelStorage, PackedLevel, Parents, View};
use openwork::extension::{ArrayDecl, ArrayRole, Assembly, Coords, InsertBy, LevelSpec, Props};
use openwork::{Buffer, Code, Diagnostic, Error, Result};
use std::ops::Range;

/// The declaration.
pub static SHORT: LevelSpec = LevelSpec {
    name: "short",
    props: Props::ORDERED.union(Props::UNIQUE).union(Props::COMPACT),
    optional: Props::UNIQUE,
    arrays: &[
        ArrayDecl { name: "pos", role: ArrayRole::Pos },
        ArrayDecl { name: "byte", role: ArrayRole::ShortCrd },
    ],
    coords: Coords::Stored,
    rising: true,
    assembly: Assembly { appends: true, insert: Some(InsertBy::Yielded) },
    query: Some("select [above] -> count(own) as n"),
    ..LevelSpec::BASE
};

/// How many coordinates a byte tells apart.
const MOST: i64 = 256;

/// Both the storage and the code.
#[derive(Debug)]
pub(crate) struct Short;

impl LevelFormat for Short {
    fn spec(&self) -> &'static LevelSpec {
        &SHORT
    }
    fn iterate(&self) -> Option<&dyn Iterate> {
        Some(self)
    }
    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }
    fn insert(&self) -> Option<&dyn Insert> {
        Some(self)
    }
}

impl Iterate for Short {
    fn iteration(&self, from: &WalkStart) -> Shape {
        let (pos, byte) = (from.level.arrays[0], from.level.arrays[1]);
        Shape::Positions {
            lo: from.kernel.load_index(pos, from.parent.lo.clone()),
            hi: from.kernel.load_index(pos, from.parent.end()),
            coord: CoordSource::from_array(byte),
            order: CoordOrder::Sorted,
            test: ChildTest::Always,
        }
    }
    fn chains(&self) -> bool {
        true
    }
}

/// Ends the kernel where a byte cannot hold every coordinate.
fn refuse_wide(level: &LevelIr) -> Vec<Stmt> {
    let end = build::add(level.low.clone(), level.size.clone());
    let below = build::lt(level.low.clone(), build::int(0));
    let wide = build::call(Prim::Or, below, build::lt(build::int(MOST), end));
    build::if_then(wide, vec![Stmt::Fail(Status::IndexOverflow)])
}

impl Append for Short {
    fn append_init(&self, kernel: &LoopKernel, level: &LevelIr, parents: Option<&Expr>) -> Vec<Stmt> {
        let (pos, mut code) = (level.arrays[0], refuse_wide(level));
        let len = build::add(parents.cloned().unwrap_or(build::int(0)), build::int(1));
        code.extend([Stmt::Reserve { buf: pos, len }, kernel.store_index(pos, build::int(0), build::int(0))]);
        code
    }
    fn reserve(&self, level: &LevelIr, len: Expr) -> Vec<Stmt> {
        vec![Stmt::Reserve { buf: level.arrays[1], len }]
    }
    fn append_coord(&self, kernel: &LoopKernel, level: &LevelIr, at: Expr, coord: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(level.arrays[1], at, coord)]
    }
    fn append_edges(&self, kernel: &LoopKernel, level: &LevelIr, parent: Expr, end: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(level.arrays[0], build::add(parent, build::int(1)), end)]
    }
    fn append_finalize(
        &self,
        kernel: &LoopKernel,
        level: &LevelIr,
        count: LevelCounts,
        scratch: VarId,
        gaps: Gaps,
    ) -> Vec<Stmt> {
        let mut code = segments::finalize_edges(kernel, level.arrays[0], &count, scratch, gaps);
        code.push(Stmt::SetLen { buf: level.arrays[1], len: count.positions });
        code
    }
}

impl Insert for Short {
    fn insert_init(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let (pos, byte) = (ctx.level.arrays[0], ctx.level.arrays[1]);
        let mut code = refuse_wide(ctx.level);
        code.extend(ctx.seq_insert_edges(pos));
        code.push(Stmt::Reserve { buf: byte, len: ctx.slots() });
        code
    }
    fn insert_coord(&self, ctx: &mut AssemblyCtx, element: &Nonzero) -> Inserted {
        let byte = ctx.level.arrays[1];
        let (mut code, position) = ctx.yield_pos(element.parent.clone());
        code.push(ctx.kernel.store_index(byte, position.clone(), element.coord.clone()));
        Inserted { code, position }
    }
    fn insert_finalize(&self, ctx: &mut AssemblyCtx) -> Vec<Stmt> {
        let (pos, byte) = (ctx.level.arrays[0], ctx.level.arrays[1]);
        let parents = build::add(ctx.parents.clone(), build::int(1));
        vec![Stmt::SetLen { buf: pos, len: parents }, Stmt::SetLen { buf: byte, len: ctx.slots() }]
    }
}

fn bytes<'a>(view: &View<'a>) -> &'a [u8] {
    view.arrays[1].as_slice().unwrap_or(&[])
}

fn too_wide(low: i64, size: usize) -> Result<()> {
    if low >= 0 && low.saturating_add_unsigned(size as u64) <= MOST {
        return Ok(());
    }
    let message =
        format!("coordinates from {low} to {} do not fit the bytes of `short`", low + size as i64 - 1);
    Err(Error::rejection(Diagnostic::new(Code("E0602"), message).help("use `compressed`")))
}

impl LevelStorage for Short {
    fn name(&self) -> &'static str {
        SHORT.name
    }
    fn check(&self, view: &View, parents: Parents) -> Result<usize> {
        too_wide(view.low(), view.size())?;
        let (pos, bytes) = (view.index(0), bytes(view));
        if pos.len() != parents.count + 1 || pos.get(0) != 0 || pos.get(parents.count) != bytes.len() as i64 {
            return Err(violation(view, "`pos` does not fit the parents and `byte`".into()));
        }
        for p in 0..parents.count {
            let (first, last) = (pos.get(p), pos.get(p + 1));
            if last < first || last > bytes.len() as i64 {
                return Err(violation(view, format!("pos[{}] is {last} after {first}", p + 1)));
            }
            if !parents.is_live(p) && first != last {
                return Err(violation(view, format!("parent {p} is an empty slot, but it has children")));
            }
        }
        let range = view.low()..view.low() + view.size() as i64;
        match bytes.iter().position(|&b| !range.contains(&i64::from(b))) {
            Some(p) => Err(violation(view, format!("byte[{p}] is {}, outside of {range:?}", bytes[p]))),
            None => Ok(bytes.len()),
        }
    }
    fn children(&self, view: &View, parent: usize, _above: &[i64]) -> Range<usize> {
        let pos = view.index(0);
        pos.entry_at(parent)..pos.entry_at(parent + 1)
    }
    fn coord(&self, view: &View, _parent: usize, position: usize, _above: &[i64]) -> Option<i64> {
        Some(i64::from(bytes(view)[position]))
    }
    fn pack(&self, build: &Build) -> Result<PackedLevel> {
        let bounds = build.site.bounds;
        too_wide(bounds.low, bounds.size)?;
        let groups = build.groups();
        build.refuse_twins(&groups)?;
        let (mut lengths, mut bytes) = (Vec::new(), Vec::with_capacity(groups.len()));
        build.groups_by_parent(&groups, |p, children| {
            lengths.push((p, children.len()));
            bytes.extend(children.map(|g| build.coord(groups.first(g)) as u8));
        });
        let (pos, ..) = build.pos_of(&lengths)?;
        Ok(PackedLevel {
            arrays: vec![pos, Buffer::from(bytes)],
            positions: groups.len(),
            entries: groups.entries(),
        })
    }
}
