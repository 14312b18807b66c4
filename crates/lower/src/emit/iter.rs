//! Cursors of levels as they are opened at a place, and coordinates that are looked up instead.

use crate::emit::Emitter;
use crate::emit::cursor::{Bits, Cursor, CursorForm, Spans};
use crate::emit::scope::Scope;
use crate::predicates::is_predicate;
use crate::space::Leaf;
use openwork_index::CinStmt;
use openwork_levels::{ChildTest, CoordSource, Place, Shape, Sought, WalkStart};
use openwork_loops::build::{add, int, var};
use openwork_loops::{Expr as Ir, Stmt as Code};
use std::collections::BTreeMap;

/// The cursors of a loop.
pub(crate) type Cursors = BTreeMap<Leaf, Cursor>;

impl Emitter<'_> {
    /// The coordinates of the levels above level `k`, which are bound.
    fn parent_coords(&self, leaf: &Leaf, scope: &Scope) -> Vec<Ir> {
        let bound = |k| scope.coords.get(&self.var_of(&leaf.access, k)).cloned();
        (0..leaf.level).map(|k| bound(k).unwrap_or(int(0))).collect()
    }

    /// Starts the walk of one leaf, where a statement is what is left of the program.
    pub(crate) fn open_cursor(
        &mut self,
        leaf: &Leaf,
        rest: &CinStmt,
        scope: &Scope,
        code: &mut Vec<Code>,
    ) -> Cursor {
        let Leaf { access, level: k } = leaf;
        let t = &self.program.tensors[access.tensor];
        let name = format!("{}{}", t.name, k + 1);
        let walk = self.registry.get(t.format.levels[*k].spec).and_then(|f| f.iterate());
        let walk = walk.expect("the graph walks levels that can be iterated");
        let parent = match is_predicate(self.program, access.tensor) {
            true => Place::one(int(0)),
            false => scope.parent(access, *k).expect("the graph walks levels from their parents"),
        };
        let own;
        let level = match is_predicate(self.program, access.tensor) {
            true => {
                own = self.set_level(leaf, rest, scope);
                &own
            }
            false => &self.tensors[&access.tensor].levels[*k],
        };
        let unique = level.level.unique();
        let form = if unique { CursorForm::Distinct } else { CursorForm::Repeating { run: None } };
        let above = self.parent_coords(leaf, scope);
        let from = WalkStart { kernel: &self.kernel, level, parent: &parent, above: &above };
        let shape = walk.iteration(&from);
        match shape {
            Shape::Every => unreachable!("the graph walks no level that has every coordinate"),
            Shape::Single { coord, test } => {
                let pos = self.kernel.index(&format!("p{name}"));
                code.push(Code::Let { var: pos, val: parent.lo.clone() });
                let cursor = Cursor::distinct(coord, pos, parent.end());
                self.of_window(leaf, Cursor { test, form: CursorForm::Once, ..cursor })
            }
            Shape::Positions { lo, hi, coord, test, .. } => {
                let (lo, coord) = self.hold_base(lo, coord, &name, code);
                let cursor = Cursor { test, form, ..self.positions(&name, lo, hi, coord, code) };
                self.narrow_to_window(leaf, cursor, code)
            }
            Shape::Runs { lo, hi, ends, low } => {
                let now = self.kernel.index(&format!("{name}_at"));
                code.push(Code::Let { var: now, val: low });
                let cursor = self.positions(&name, lo, hi, CoordSource::Is(var(now)), code);
                Cursor { form: CursorForm::Runs(Spans { ends, now, below: None }), ..cursor }
            }
            Shape::Bits { words, first, base, low, size } => {
                let held = |l: &mut Self, what: &str, val: Ir, code: &mut Vec<Code>| {
                    l.hold(&format!("{name}_{what}"), val, code)
                };
                let first = held(self, "word", first, code);
                let base = held(self, "base", base, code);
                let coord = CoordSource::Counted { base: base.clone(), low: low.clone() };
                let hi = add(base.clone(), size.clone());
                let cursor = self.positions(&name, base.clone(), hi, coord, code);
                let test = ChildTest::Bit { words, first: first.clone(), base: base.clone() };
                Cursor { test, form: CursorForm::Bits(Bits { words, first, base, low, size }), ..cursor }
            }
        }
    }

    /// Keeps what the coordinate of every position needs in variables.
    fn hold_base(
        &mut self,
        lo: Ir,
        coord: CoordSource,
        name: &str,
        code: &mut Vec<Code>,
    ) -> (Ir, CoordSource) {
        match coord {
            CoordSource::Counted { base, low } => {
                let same = base == lo;
                let base = self.hold(&format!("{name}_base"), base, code);
                let low = self.hold(&format!("{name}_low"), low, code);
                (if same { base.clone() } else { lo }, CoordSource::Counted { base, low })
            }
            CoordSource::Listed { crd, base } => {
                let same = base == lo;
                let base = self.hold(&format!("{name}_base"), base, code);
                (if same { base.clone() } else { lo }, CoordSource::Listed { crd, base })
            }
            CoordSource::Stepped { steps, most, before } => {
                // It changes along the walk, so it is a variable of its own.
                let now = self.kernel.index(&format!("{name}_before"));
                code.push(Code::Let { var: now, val: before });
                (lo, CoordSource::Stepped { steps, most, before: var(now) })
            }
            CoordSource::Stored { .. } | CoordSource::Windowed(_) | CoordSource::Is(_) => (lo, coord),
        }
    }
    /// `val` in a variable, unless it is as simple as one.
    pub(crate) fn hold(&mut self, name: &str, val: Ir, code: &mut Vec<Code>) -> Ir {
        match val {
            simple @ (Ir::Const(_) | Ir::Var(_)) => simple,
            computed => {
                let held = self.kernel.index(name);
                code.push(Code::Let { var: held, val: computed });
                var(held)
            }
        }
    }
    fn positions(&mut self, name: &str, lo: Ir, hi: Ir, coord: CoordSource, code: &mut Vec<Code>) -> Cursor {
        let pos = self.kernel.index(&format!("p{name}"));
        code.push(Code::Let { var: pos, val: lo });
        let end = self.hold(&format!("{name}_end"), hi, code);
        Cursor::distinct(coord, pos, end)
    }

    /// Looks a coordinate up in a seekable leaf.
    pub(crate) fn seek(&mut self, leaf: &Leaf, coord: Ir, scope: &Scope) -> Sought {
        let Leaf { access, level: k } = leaf;
        let spec = self.program.tensors[access.tensor].format.levels[*k].spec;
        let seek = self.registry.get(spec).and_then(|f| f.seek()).expect("called for seekable leaves");
        let parent = scope.parent(access, *k).expect("called where the parent is known");
        let above = self.parent_coords(leaf, scope);
        let level = self.tensors[&access.tensor].levels[*k].clone();
        // Names are taken while the level reads the kernel's types, so they are drawn from a copy.
        let types = self.kernel.clone();
        let from = WalkStart { kernel: &types, level: &level, parent: &parent, above: &above };
        let kernel = &mut self.kernel;
        seek.seek(&from, coord, &mut |hint| kernel.index(hint))
    }
}
