//! What a way costs with the conversions around its kernel.

use crate::way::Way;
use openwork_index::{Kind, TensorId};
use openwork_lower::cost::{self, CLEAR, CONVERT, estimate};

/// What a conversion costs besides its elements: a kernel of its own.
const CALL: f64 = 3000.0;

/// The work of a way, in units of about a nanosecond.
pub(crate) fn work(way: &Way) -> f64 {
    let program = &way.concrete.program;
    let estimated = estimate(program);
    let reads = |t: TensorId| {
        let all = program.body.assignments();
        all.into_iter().flat_map(|(_, _, rhs)| rhs.accesses()).find(|a| a.tensor == t).cloned()
    };
    let mut work = estimated.work;
    for c in &way.conversions {
        let Some(access) = reads(c.tensor) else { continue };
        let format = &program.tensors[c.tensor].format;
        let mut room = 1.0;
        let mut cleared = 0.0;
        for (level, &m) in format.levels.iter().zip(&format.modes) {
            room *= access.vars.get(m).map_or(1.0, |&v| cost::size(program, v));
            if level.is_dense() || level.is_table() {
                cleared = room;
            }
            if !level.is_dense() {
                break;
            }
        }
        work += CALL + CONVERT * cost::stored(program, &access) + CLEAR * cleared;
    }
    let target = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
    let target = target.into_iter().find(|a| program.tensors[a.tensor].kind == Kind::Result);
    let dense =
        target.filter(|a| program.tensors[a.tensor].format.is_dense()).map(|a| cost::room(program, a));
    if way.finish.is_some() {
        // A dense intermediate is searched for its values.
        work += CALL + CONVERT * estimated.stored.min(dense.unwrap_or(f64::INFINITY)) + dense.unwrap_or(0.0);
    }
    work + CLEAR * dense.unwrap_or(0.0)
}
