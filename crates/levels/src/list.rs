//! The list level: a list of coordinates per parent, with room to grow behind it.
//!
//! ```text
//! two parents, children {0, 2} and {1}; E marks room
//! begin  0           3
//! end    2           4             children of parent p: positions begin[p] .. end[p]
//! crd    0   2   E   1   E
//! ```

use crate::compressed::refuse_overflow;
use crate::scatter::{Element, Placed, Reply, Scatter, Site};
use crate::shape::{Coord, Order, Test};
use crate::singleton::all_empty;
use crate::{From, LevelFormat, Shape, Walk};
use openwork_algebra::Prim;
use openwork_format::{LevelSpec, specs::LIST};
use openwork_loops::build::{add, call, for_each, int, lt, set, var};
use openwork_loops::{Expr, Stmt};

/// A list with room to grow per parent.
#[derive(Debug)]
pub struct List;

impl LevelFormat for List {
    fn spec(&self) -> &'static LevelSpec {
        &LIST
    }
    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
    fn scatter(&self) -> Option<&dyn Scatter> {
        Some(self)
    }
}

impl Walk for List {
    fn unfold(&self, from: &From) -> Shape {
        let (begin, end) = (from.level.arrays[0], from.level.arrays[1]);
        let lo = from.kernel.load_index(begin, from.parent.lo.clone());
        let hi = from.kernel.load_index(end, from.parent.lo.clone());
        let hi = match &from.parent.hi {
            None => hi,
            // A run holds one parent or none.
            Some(stop) => {
                let some = call(Prim::Ne, from.parent.lo.clone(), stop.clone());
                Expr::Call { prim: Prim::Select, args: vec![some, hi, lo.clone()] }
            }
        };
        let order = if from.level.level.ordered() { Order::Sorted } else { Order::Unsorted };
        Shape::Positions { lo, hi, coord: Coord::stored(from.level.arrays[2]), order, test: Test::Always }
    }
}

impl Scatter for List {
    /// Every list that is not empty gets a quarter of its length as room, at least one slot.
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let (begin, end, crd) = (site.level.arrays[0], site.level.arrays[1], site.level.arrays[2]);
        let (sum, p, n) = (site.kernel.index("slots"), site.kernel.index("p"), site.kernel.index("n"));
        let count = match site.answers[0].clone() {
            Reply::Number { value, .. } => value,
            Reply::Table { stored, .. } => site.kernel.load_index(stored, var(p)),
        };
        let room = call(Prim::Max, int(1), call(Prim::Shr, var(n), int(2)));
        let body = vec![
            Stmt::Let { var: n, val: count },
            site.kernel.store_index(begin, var(p), var(sum)),
            site.kernel.store_index(end, var(p), var(sum)),
            Stmt::If {
                cond: lt(int(0), var(n)),
                then: vec![set(sum, add(var(sum), add(var(n), room)))],
                other: Vec::new(),
            },
        ];
        let mut code = vec![
            Stmt::Reserve { buf: begin, len: site.parents.clone() },
            Stmt::Reserve { buf: end, len: site.parents.clone() },
            Stmt::Let { var: sum, val: int(0) },
            for_each(p, int(0), site.parents.clone(), body),
        ];
        code.extend(refuse_overflow(site, begin, var(sum)));
        site.state.slots = Some(var(sum));
        code.push(Stmt::Reserve { buf: crd, len: var(sum) });
        code.push(all_empty(site, crd, var(sum)));
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let (end, crd) = (site.level.arrays[1], site.level.arrays[2]);
        let mut code = Vec::new();
        let at = site.hold("at", e.parent.clone(), &mut code);
        let slot = site.kernel.load_index(end, at.clone());
        let position = site.hold("slot", slot, &mut code);
        code.push(site.kernel.store_index(end, at, add(position.clone(), int(1))));
        code.push(site.kernel.store_index(crd, position.clone(), e.coord.clone()));
        Placed { code, position }
    }
    fn close(&self, site: &mut Site) -> Vec<Stmt> {
        vec![
            Stmt::SetLen { buf: site.level.arrays[0], len: site.parents.clone() },
            Stmt::SetLen { buf: site.level.arrays[1], len: site.parents.clone() },
            Stmt::SetLen { buf: site.level.arrays[2], len: site.slots() },
        ]
    }
}
