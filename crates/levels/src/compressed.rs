//! The compressed level: a segment of coordinates per parent.
//!
//! ```text
//! two parents, children {0, 2} and {1}
//! pos    0       2   3          children of parent p: positions pos[p] .. pos[p + 1]
//! crd    0   2   1
//! ```
//! Children of a run of parents `lo..hi` are `pos[lo] .. pos[hi]`: segments follow one another, which chains the
//! iterators of duplicate parents without a copy (formats thesis, §4.2.4).

use crate::scatter::{Element, Placed, Reply, Scatter, Site, group};
use crate::{Append, Coord, Counts, From, Gaps, LevelFormat, LevelIr, Order, Shape, Test, Walk};
use openwork_algebra::{DType, Prim};
use openwork_format::{ArrayRole, LevelSpec, specs::COMPRESSED};
use openwork_loops::build::{add, call, for_each, int, load, lt, set, var, when};
use openwork_loops::{BufId, Expr, Kernel, Status, Stmt, VarId};

/// A segment of coordinates per parent.
#[derive(Debug)]
pub struct Compressed;

fn pos(level: &LevelIr) -> BufId {
    level.arrays[0]
}
fn crd(level: &LevelIr) -> BufId {
    level.arrays[1]
}

impl LevelFormat for Compressed {
    fn spec(&self) -> &'static LevelSpec {
        debug_assert_eq!(
            COMPRESSED.arrays.iter().map(|a| a.role).collect::<Vec<_>>(),
            [ArrayRole::Pos, ArrayRole::Crd]
        );
        &COMPRESSED
    }
    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
    fn scatter(&self) -> Option<&dyn Scatter> {
        Some(self)
    }
    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }
}

impl Walk for Compressed {
    fn unfold(&self, from: &From) -> Shape {
        let pos = pos(from.level);
        let lo = from.kernel.load_index(pos, from.parent.lo.clone());
        let hi = from.kernel.load_index(pos, from.parent.end());
        let order = if from.level.level.ordered() { Order::Sorted } else { Order::Unsorted };
        Shape::Positions { lo, hi, coord: Coord::stored(crd(from.level)), order, test: Test::Always }
    }
    fn chains(&self) -> bool {
        true
    }
}

impl Append for Compressed {
    fn init(&self, kernel: &Kernel, level: &LevelIr, parents: Option<&Expr>) -> Vec<Stmt> {
        let len = add(parents.cloned().unwrap_or(int(0)), int(1));
        vec![Stmt::Reserve { buf: pos(level), len }, kernel.store_index(pos(level), int(0), int(0))]
    }
    fn room(&self, level: &LevelIr, len: Expr) -> Vec<Stmt> {
        vec![Stmt::Reserve { buf: crd(level), len }]
    }
    fn coord(&self, kernel: &Kernel, level: &LevelIr, at: Expr, coord: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(crd(level), at, coord)]
    }
    fn edges(&self, kernel: &Kernel, level: &LevelIr, parent: Expr, end: Expr) -> Vec<Stmt> {
        vec![kernel.store_index(pos(level), add(parent, int(1)), end)]
    }
    fn finish(
        &self,
        kernel: &Kernel,
        level: &LevelIr,
        count: Counts,
        scratch: VarId,
        gaps: Gaps,
    ) -> Vec<Stmt> {
        let mut code = Vec::new();
        let width = kernel.bufs[pos(level)].elem;
        if width != DType::I64 {
            // Positions were stored narrowed: if the last one does not fit, the result is void.
            let largest =
                openwork_algebra::Scalar::highest(width).expect("index widths are integers").as_i64();
            let too_big = lt(int(largest), count.positions.clone());
            code.extend(when(too_big, vec![Stmt::Fail(Status::IndexOverflow)]));
        }
        if gaps == Gaps::Possible {
            // A skipped parent still holds zero: its segment is empty and ends where the one before it ends.
            let at = |offset| load(pos(level), add(var(scratch), int(offset)));
            let fill = vec![Stmt::Store {
                buf: pos(level),
                at: add(var(scratch), int(1)),
                val: at(0),
                reduce: None,
            }];
            let body = when(lt(at(1), at(0)), fill);
            code.push(for_each(scratch, int(0), count.parents.clone(), body));
        }
        code.push(Stmt::SetLen { buf: pos(level), len: add(count.parents, int(1)) });
        code.push(Stmt::SetLen { buf: crd(level), len: count.positions });
        code
    }
}

impl Scatter for Compressed {
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let (pos, crd) = (pos(site.level), crd(site.level));
        let mut code = segments(site, pos);
        code.push(Stmt::Reserve { buf: crd, len: site.slots() });
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let crd = crd(site.level);
        let (mut code, position) = next_slot(site, e.parent.clone());
        code.push(site.kernel.store_index(crd, position.clone(), e.coord.clone()));
        Placed { code, position }
    }
    fn close(&self, site: &mut Site) -> Vec<Stmt> {
        vec![
            Stmt::SetLen { buf: pos(site.level), len: add(site.parents.clone(), int(1)) },
            Stmt::SetLen { buf: crd(site.level), len: site.slots() },
        ]
    }
}

/// Sequenced edge insertion: `pos[p]..pos[p + 1]` for every parent. The counts turn into cursors: where the next child of
/// each parent goes.
pub(crate) fn segments(site: &mut Site, pos: BufId) -> Vec<Stmt> {
    let mut code = vec![
        Stmt::Reserve { buf: pos, len: add(site.parents.clone(), int(1)) },
        site.kernel.store_index(pos, int(0), int(0)),
    ];
    let total = match &site.answers[0] {
        Reply::Number { value, .. } => {
            let value = value.clone();
            let cursor = site.kernel.index("next");
            site.state.cursor = Some(cursor);
            code.push(Stmt::Let { var: cursor, val: int(0) });
            let total = site.hold("slots", value, &mut code);
            code.push(site.kernel.store_index(pos, int(1), total.clone()));
            total
        }
        Reply::Table { stored, .. } => {
            let stored = *stored;
            site.state.scratch = Some(stored);
            let (sum, p, n) = (site.kernel.index("slots"), site.kernel.index("p"), site.kernel.index("n"));
            let body = vec![
                Stmt::Let { var: n, val: site.kernel.load_index(stored, var(p)) },
                site.kernel.store_index(stored, var(p), var(sum)),
                set(sum, add(var(sum), var(n))),
                site.kernel.store_index(pos, add(var(p), int(1)), var(sum)),
            ];
            code.push(Stmt::Let { var: sum, val: int(0) });
            code.push(for_each(p, int(0), site.parents.clone(), body));
            var(sum)
        }
    };
    code.extend(refuse_overflow(site, pos, total.clone()));
    site.state.slots = Some(total);
    code
}
/// The next free position of a parent.
pub(crate) fn next_slot(site: &mut Site, parent: Expr) -> (Vec<Stmt>, Expr) {
    let mut code = Vec::new();
    if let Some(cursor) = site.state.cursor {
        let slot = copy_of(site, cursor, &mut code);
        code.push(set(cursor, add(var(cursor), int(1))));
        return (code, slot);
    }
    let cursors = site.state.scratch.expect("a level is opened before it is used");
    let parent = site.hold("at", parent, &mut code);
    let at = match site.state.dealt {
        Some(dealt) => site.hold("group", group(parent.clone(), dealt.scale), &mut code),
        None => parent.clone(),
    };
    let slot = site.kernel.load_index(cursors, at.clone());
    let slot = site.hold("slot", slot, &mut code);
    code.push(site.kernel.store_index(cursors, at, add(slot.clone(), int(1))));
    if let Some(dealt) = site.state.dealt {
        let key = call(Prim::And, parent, int(0xffff));
        code.push(site.kernel.store_index(dealt.keys, slot.clone(), key));
    }
    (code, slot)
}
/// The present value of a variable that is about to change.
fn copy_of(site: &mut Site, cursor: VarId, code: &mut Vec<Stmt>) -> Expr {
    let slot = site.kernel.index("slot");
    code.push(Stmt::Let { var: slot, val: var(cursor) });
    var(slot)
}
/// Ends the kernel where positions up to `largest` do not fit their array.
pub(crate) fn refuse_overflow(site: &Site, pos: BufId, largest: Expr) -> Vec<Stmt> {
    let width = site.kernel.bufs[pos].elem;
    if width == DType::I64 {
        return Vec::new();
    }
    let most = openwork_algebra::Scalar::highest(width).expect("index widths are integers").as_i64();
    when(lt(int(most), largest), vec![Stmt::Fail(Status::IndexOverflow)])
}
