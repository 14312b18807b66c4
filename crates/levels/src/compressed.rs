//! The compressed level: a segment of coordinates per parent.
//!
//! ```text
//! two parents, children {0, 2} and {1}
//! pos    0       2   3          children of parent p: positions pos[p] .. pos[p + 1]
//! crd    0   2   1
//! ```
//! Children of a run of parents `lo..hi` are `pos[lo] .. pos[hi]`: segments follow one another, which chains the
//! iterators of duplicate parents without a copy (formats thesis, §4.2.4).

use crate::{Append, Counts, Gaps, LevelFormat, LevelIr, Place, Shape, Walk};
use openwork_algebra::DType;
use openwork_format::{ArrayRole, LevelSpec, level::COMPRESSED};
use openwork_loops::build::{add, for_each, int, load, lt, var, when};
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
    fn append(&self) -> Option<&dyn Append> {
        Some(self)
    }
}

impl Walk for Compressed {
    fn unfold(&self, kernel: &Kernel, level: &LevelIr, parent: &Place) -> Shape {
        let lo = kernel.load_index(pos(level), parent.lo.clone());
        let hi = kernel.load_index(pos(level), parent.end());
        let crd = crd(level);
        if level.level.ordered() { Shape::Sorted { lo, hi, crd } } else { Shape::Unsorted { lo, hi, crd } }
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
