//! The squeezed level: the coordinates of `perm`, the same ones for every parent.
//!
//! ```text
//! diagonals of a matrix   perm    -3  -1   0   1          count 4
//! positions                        0   1   2   3          p = parent * count + place in perm
//! ```

use crate::scatter::{Element, Placed, Reply, Scatter, Site};
use crate::shape::{Coord, Order, Test, sub};
use crate::{From, LevelFormat, Shape, Walk};
use openwork_algebra::DType;
use openwork_format::{LevelSpec, specs::SQUEEZED};
use openwork_loops::build::{add, cast, for_each, int, load, mul, set, store, var, when};
use openwork_loops::{Role, Stmt};

/// One list of coordinates for all parents.
#[derive(Debug)]
pub struct Squeezed;

impl LevelFormat for Squeezed {
    fn spec(&self) -> &'static LevelSpec {
        &SQUEEZED
    }
    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }
    fn scatter(&self) -> Option<&dyn Scatter> {
        Some(self)
    }
}

impl Walk for Squeezed {
    fn unfold(&self, from: &From) -> Shape {
        let count = &from.level.sizes[0];
        let base = mul(from.parent.lo.clone(), count.clone());
        Shape::Positions {
            lo: base.clone(),
            hi: mul(from.parent.end(), count.clone()),
            coord: Coord::Listed { crd: from.level.arrays[1], base },
            order: Order::Sorted,
            test: Test::Always,
        }
    }
}

impl Scatter for Squeezed {
    /// Collects the coordinates that occur, and notes the place of each one.
    fn open(&self, site: &mut Site) -> Vec<Stmt> {
        let Reply::Table { stored, .. } = site.answers[0].clone() else {
            unreachable!("the query is a map of the level's coordinates")
        };
        let (count, perm) = (site.level.arrays[0], site.level.arrays[1]);
        let (size, low) = (site.level.size.clone(), site.level.low.clone());
        let places = site.kernel.buf("places", DType::I64, Role::Temp);
        site.state.scratch = Some(places);
        let (k, c, d) = (site.kernel.index("count"), site.kernel.index("c"), site.kernel.index("c"));
        let is_there = |c| cast(DType::I64, DType::Bool, load(stored, var(c)));
        let found = vec![
            site.kernel.store_index(perm, var(k), add(var(d), low)),
            store(places, var(d), var(k)),
            set(k, add(var(k), int(1))),
        ];
        let total = site.kernel.index("count");
        let mut code = vec![
            Stmt::Let { var: total, val: int(0) },
            for_each(c, int(0), size.clone(), vec![set(total, add(var(total), is_there(c)))]),
            Stmt::Reserve { buf: count, len: int(1) },
            store(count, int(0), var(total)),
            Stmt::Reserve { buf: perm, len: var(total) },
            Stmt::Reserve { buf: places, len: size.clone() },
            Stmt::Let { var: k, val: int(0) },
            for_each(d, int(0), size, when(load(stored, var(d)), found)),
        ];
        site.level.sizes = vec![var(total)];
        let slots = mul(site.parents.clone(), var(total));
        site.state.slots = Some(site.hold("slots", slots, &mut code));
        code
    }
    fn place(&self, site: &mut Site, e: &Element) -> Placed {
        let places = site.state.scratch.expect("a level is opened before it is used");
        let base = mul(e.parent.clone(), site.level.sizes[0].clone());
        let position = add(base, load(places, sub(e.coord.clone(), site.level.low.clone())));
        Placed { code: Vec::new(), position }
    }
    fn close(&self, site: &mut Site) -> Vec<Stmt> {
        vec![
            Stmt::SetLen { buf: site.level.arrays[0], len: int(1) },
            Stmt::SetLen { buf: site.level.arrays[1], len: site.level.sizes[0].clone() },
        ]
    }
}
