//! The walk of one level: opening it, its coordinate, moving on.

use crate::Lowerer;
use crate::graph::{self, Repeats};
use crate::scope::Scope;
use crate::space::Leaf;
use openwork_algebra::{DType, Prim};
use openwork_base::Result;
use openwork_levels::{Coord, From, Order, Place, Shape, Sought, Test};
use openwork_loops::build::{add, and_also, call, cast, eq, int, mul, set, var, when};
use openwork_loops::{BufId, Expr as Ir, Stmt as Code, VarId};
use std::collections::BTreeMap;

/// A walk over the children of one place of a level.
#[derive(Clone, Debug)]
pub(crate) struct Iter {
    /// The coordinate at a position.
    pub(crate) coord: Coord,
    /// Whether a position holds a child.
    pub(crate) test: Test,
    /// The current position.
    pub(crate) pos: VarId,
    /// One past the last position.
    pub(crate) end: Ir,
    /// How often it runs and whether coordinates repeat.
    pub(crate) kind: Repeats,
    /// Whether coordinates do not fall.
    pub(crate) order: Order,
    /// One past the run of positions that share the current coordinate, where coordinates repeat.
    pub(crate) run: Option<VarId>,
    /// Where each run of coordinates ends, if a position covers several, and the current coordinate.
    pub(crate) spans: Option<(BufId, VarId)>,
    /// The words of a bitmap.
    pub(crate) bits: Option<Bits>,
}

/// The words behind a walk over bits.
#[derive(Clone, Debug)]
pub(crate) struct Bits {
    /// The words.
    pub(crate) words: BufId,
    /// The first word.
    pub(crate) first: Ir,
    /// The position of bit 0 of the first word.
    pub(crate) base: Ir,
    /// The coordinate of that bit.
    pub(crate) low: Ir,
    /// How many bits there are.
    pub(crate) size: Ir,
}

pub(crate) type Iters = BTreeMap<Leaf, Iter>;

impl Iter {
    /// A walk of distinct coordinates, in order, from position `pos` up to `end`.
    fn of(coord: Coord, pos: VarId, end: Ir) -> Iter {
        Iter {
            coord,
            test: Test::Always,
            pos,
            end,
            kind: Repeats::Distinct,
            order: Order::Sorted,
            run: None,
            spans: None,
            bits: None,
        }
    }
    /// The coordinate at the current position.
    pub(crate) fn coord(&self, l: &Lowerer) -> Ir {
        self.coord.at(&l.kernel, var(self.pos))
    }
    /// The positions that belong to the current coordinate.
    pub(crate) fn place(&self) -> Place {
        match self.run {
            None => Place::one(var(self.pos)),
            Some(run) => Place::run(var(self.pos), var(run)),
        }
    }
    /// `cond`, and the current position holds a child.
    pub(crate) fn present(&self, cond: Ir, coord: Ir) -> Ir {
        match self.test.at(var(self.pos), coord) {
            None => cond,
            Some(test) => and_also(cond, test),
        }
    }
    /// The coordinate at the position before, where coordinates are told by differences.
    pub(crate) fn stepped(&self) -> Option<VarId> {
        match &self.coord {
            Coord::Stepped { before: Ir::Var(now), .. } => Some(*now),
            Coord::Stepped { .. }
            | Coord::Stored { .. }
            | Coord::Listed { .. }
            | Coord::Counted { .. }
            | Coord::Is(_) => None,
        }
    }
    /// Moves past the current coordinate if `at` says that it has been visited; without a branch where coordinates are
    /// distinct.
    pub(crate) fn advance(&self, at: VarId, kernel: &openwork_loops::Kernel) -> Vec<Code> {
        if let Some((ends, now)) = self.spans {
            let past = eq(kernel.load_index(ends, var(self.pos)), var(now));
            let next = when(past, vec![set(self.pos, add(var(self.pos), int(1)))]);
            let mut step = vec![set(now, add(var(now), int(1)))];
            step.extend(next);
            return when(var(at), step);
        }
        if let Some(now) = self.stepped() {
            let coord = self.coord.at(kernel, var(self.pos));
            return when(var(at), vec![set(now, coord), set(self.pos, add(var(self.pos), int(1)))]);
        }
        vec![match self.run {
            Some(run) => set(self.pos, var(run)),
            None => set(self.pos, add(var(self.pos), cast(DType::I64, DType::Bool, var(at)))),
        }]
    }
}

impl Lowerer<'_> {
    /// The coordinates of the levels above level `k`, which are bound.
    fn above(&self, leaf: &Leaf, scope: &Scope) -> Vec<Ir> {
        let bound = |k| scope.coords.get(&self.var_of(&leaf.access, k)).cloned();
        (0..leaf.level).map(|k| bound(k).unwrap_or(int(0))).collect()
    }

    /// What a walk is though the declaration of its level says something else, on which the graph relies; and what to declare.
    fn undeclared(&self, leaf: &Leaf, shape: &Shape, parent: &Place) -> Option<(&'static str, &'static str)> {
        let level = self.program.tensors[leaf.access.tensor].format.levels[leaf.level];
        let one_child = level.branchless() && parent.hi.is_none();
        if one_child != matches!(shape, Shape::Single { .. }) {
            let help = "declare a level branchless if its walk is of one child";
            return Some(("does not have the children that it declares", help));
        }
        let runs = level.shares_positions() != matches!(shape, Shape::Runs { .. });
        if runs || level.is_in_words() != matches!(shape, Shape::Bits { .. }) {
            return Some((
                "is not walked as it declares",
                "runs cover every coordinate and have arrays, bits are in words",
            ));
        }
        let (Shape::Single { coord, test, .. } | Shape::Positions { coord, test, .. }) = shape else {
            return None;
        };
        if *test != Test::Always && !graph::may_be_empty(self.program, leaf) {
            let help = "declare which slots of the level may be empty";
            return Some(("tests slots that it does not declare", help));
        }
        let listed = matches!(coord, Coord::Stored { .. } | Coord::Listed { .. });
        if graph::is_sorted_list(self.program, leaf) && !listed {
            let help = "an array of coordinates has the coordinate of each position";
            return Some(("does not list the coordinates that it declares", help));
        }
        None
    }

    /// Starts the walk of one leaf.
    pub(crate) fn open_iter(&mut self, leaf: &Leaf, scope: &Scope, code: &mut Vec<Code>) -> Result<Iter> {
        let Leaf { access, level: k } = leaf;
        let t = &self.program.tensors[access.tensor];
        let name = format!("{}{}", t.name, k + 1);
        let walk = self.registry.get(t.format.levels[*k].spec).and_then(|f| f.iterate());
        let walk = walk.expect("the graph walks levels that can be iterated");
        let parent = scope.parent(access, *k).expect("the graph walks levels from their parents");
        let level = &self.tensors[&access.tensor].levels[*k];
        let unique = level.level.unique();
        let repeating = if unique { Repeats::Distinct } else { Repeats::Repeating };
        let above = self.above(leaf, scope);
        let from = From { kernel: &self.kernel, level, parent: &parent, above: &above };
        let shape = walk.iteration(&from);
        if let Some((what, help)) = self.undeclared(leaf, &shape, &parent) {
            let message = format!("level {} of `{}` {what}", k + 1, t.name);
            return Err(self.refuse("E0406", message, help));
        }
        match shape {
            Shape::Every => {
                let message = format!("level {} of `{}` cannot be located here", k + 1, t.name);
                Err(self.refuse("E0406", message, "store the level compressed"))
            }
            Shape::Single { coord, test } => {
                let pos = self.kernel.index(&format!("p{name}"));
                code.push(Code::Let { var: pos, val: parent.lo.clone() });
                let iter = Iter::of(coord, pos, parent.end());
                Ok(Iter { test, kind: Repeats::Once, ..iter })
            }
            Shape::Positions { coord: Coord::Stepped { .. }, .. } if !unique => {
                let message = format!("level {} of `{}` cannot repeat coordinates", k + 1, t.name);
                Err(self.refuse("E0406", message, "declare the level unique"))
            }
            Shape::Positions { lo, hi, coord, order, test } => {
                let (lo, coord) = self.hold_base(lo, coord, &name, code);
                let iter = Iter { kind: repeating, order, ..self.positions(&name, lo, hi, coord, code) };
                Ok(Iter { test, ..iter })
            }
            Shape::Runs { lo, hi, ends, low } => {
                let now = self.kernel.index(&format!("{name}_at"));
                code.push(Code::Let { var: now, val: low });
                let iter = self.positions(&name, lo, hi, Coord::Is(var(now)), code);
                Ok(Iter { spans: Some((ends, now)), ..iter })
            }
            Shape::Bits { words, first, base, low, size } => {
                let held = |l: &mut Self, what: &str, val: Ir, code: &mut Vec<Code>| {
                    l.hold(&format!("{name}_{what}"), val, code)
                };
                let first = held(self, "word", first, code);
                let base = held(self, "base", base, code);
                let coord = Coord::Counted { base: base.clone(), low: low.clone() };
                let hi = add(base.clone(), size.clone());
                let iter = self.positions(&name, base.clone(), hi, coord, code);
                let test = Test::Bit { words, first: first.clone(), base: base.clone() };
                Ok(Iter { test, bits: Some(Bits { words, first, base, low, size }), ..iter })
            }
        }
    }

    /// Keeps what the coordinate of every position needs in variables.
    fn hold_base(&mut self, lo: Ir, coord: Coord, name: &str, code: &mut Vec<Code>) -> (Ir, Coord) {
        match coord {
            Coord::Counted { base, low } => {
                let same = base == lo;
                let base = self.hold(&format!("{name}_base"), base, code);
                let low = self.hold(&format!("{name}_low"), low, code);
                (if same { base.clone() } else { lo }, Coord::Counted { base, low })
            }
            Coord::Listed { crd, base } => {
                let same = base == lo;
                let base = self.hold(&format!("{name}_base"), base, code);
                (if same { base.clone() } else { lo }, Coord::Listed { crd, base })
            }
            Coord::Stepped { steps, most, before } => {
                // It changes along the walk, so it is a variable of its own.
                let now = self.kernel.index(&format!("{name}_before"));
                code.push(Code::Let { var: now, val: before });
                (lo, Coord::Stepped { steps, most, before: var(now) })
            }
            Coord::Stored { .. } | Coord::Is(_) => (lo, coord),
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
    fn positions(&mut self, name: &str, lo: Ir, hi: Ir, coord: Coord, code: &mut Vec<Code>) -> Iter {
        let pos = self.kernel.index(&format!("p{name}"));
        code.push(Code::Let { var: pos, val: lo });
        let end = self.hold(&format!("{name}_end"), hi, code);
        Iter::of(coord, pos, end)
    }

    /// Looks a coordinate up in a seekable leaf.
    pub(crate) fn seek(&mut self, leaf: &Leaf, coord: Ir, scope: &Scope) -> Sought {
        let Leaf { access, level: k } = leaf;
        let spec = self.program.tensors[access.tensor].format.levels[*k].spec;
        let seek = self.registry.get(spec).and_then(|f| f.seek()).expect("called for seekable leaves");
        let parent = scope.parent(access, *k).expect("called where the parent is known");
        let above = self.above(leaf, scope);
        let level = self.tensors[&access.tensor].levels[*k].clone();
        // Names are taken while the level reads the kernel's types, so they are drawn from a copy.
        let types = self.kernel.clone();
        let from = From { kernel: &types, level: &level, parent: &parent, above: &above };
        let kernel = &mut self.kernel;
        seek.seek(&from, coord, &mut |hint| kernel.index(hint))
    }
    /// `crd[at] == coord` at a position that is in range.
    pub(crate) fn is_at(&self, iter: &Iter, at: VarId, coord: Ir) -> Ir {
        eq(iter.coord.at(&self.kernel, var(at)), coord)
    }
    /// The word number `w` of a bitmap's walk.
    pub(crate) fn word(&self, bits: &Bits, w: Ir) -> Ir {
        openwork_loops::build::load(bits.words, add(bits.first.clone(), w))
    }
}

/// `64 * w + b`.
pub(crate) fn bit_number(w: Ir, b: Ir) -> Ir {
    add(mul(w, int(64)), b)
}
/// `m & (m - 1)`: the word without its lowest set bit.
pub(crate) fn without_lowest(m: Ir) -> Ir {
    call(Prim::And, m.clone(), call(Prim::Sub, m, int(1)))
}
