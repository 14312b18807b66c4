//! Computed coordinates of a tensor: how many combinations of them there may be down to each level.
//!
//! ```text
//! (i,j) -> (i/4, j/4, i%4, j%4, i, j)      blocks, then all elements; whatever is stored below tells no more of them apart
//! ```

use openwork_format::remap::{Coord, CoordOp, Remap, Term};

/// Numbers of a remapping for modes of some sizes.
#[derive(Clone, Debug)]
pub(super) struct RemapCounts {
    /// The coordinate that is each mode.
    pub(super) modes: Vec<usize>,
    /// How many combinations the coordinates down to each one may have.
    pub(super) prefixes: Vec<f64>,
    /// The modes in which elements agree that each coordinate numbers, if it does.
    pub(super) counted: Vec<Option<Vec<usize>>>,
}

impl RemapCounts {
    /// Those of a remapping.
    pub(super) fn from_remap(remap: &Remap, size: &dyn Fn(usize) -> f64) -> RemapCounts {
        let plain: Vec<Option<usize>> = remap.coords.iter().map(Coord::plain).collect();
        let mode = |m| plain.iter().position(|p| *p == Some(m));
        let modes: Vec<usize> = (0..remap.rank()).filter_map(mode).collect();
        let shape: Vec<usize> = modes.iter().map(|&k| size(k) as usize).collect();
        let all: f64 = shape.iter().map(|&n| n as f64).product();
        let size = |coord: Coord| {
            Remap { names: remap.names.clone(), coords: vec![coord] }.bounds(0, &shape).size as f64
        };
        let mut parts: Vec<&Term> = Vec::new();
        let (mut apart, mut sizes) = (1.0, 1.0);
        let (mut prefixes, mut counted) = (Vec::new(), Vec::new());
        for coord in &remap.coords {
            let counters: Vec<usize> = coord.counters().into_iter().flatten().collect();
            counted.push((!coord.counters().is_empty()).then_some(counters));
            let known = parts.len();
            coord.lets.iter().map(|(_, t)| t).chain([&coord.value]).for_each(|t| parts_of(t, &mut parts));
            let new = parts[known..].iter().map(|&t| size(Coord { lets: Vec::new(), value: t.clone() }));
            apart *= new.product::<f64>();
            sizes *= size(coord.clone());
            let numbers = counted.iter().any(Option::is_some);
            prefixes.push(if numbers { sizes.min(all) } else { sizes.min(apart).min(all) });
        }
        RemapCounts { modes, prefixes, counted }
    }
}

/// What a term depends on: modes, and quotients and remainders of them.
fn parts_of<'t>(t: &'t Term, parts: &mut Vec<&'t Term>) {
    match t {
        Term::Const(_) | Term::Counter(_) | Term::Local(_) => {}
        Term::Binary(op, a, b) => match (op, &**a, &**b) {
            (CoordOp::Div | CoordOp::Rem | CoordOp::Shr, Term::Mode(_), Term::Const(_)) => add(t, parts),
            (_, a, b) => {
                parts_of(a, parts);
                parts_of(b, parts);
            }
        },
        Term::Mode(_) => add(t, parts),
    }
}
fn add<'t>(t: &'t Term, parts: &mut Vec<&'t Term>) {
    if !parts.contains(&t) {
        parts.push(t);
    }
}
