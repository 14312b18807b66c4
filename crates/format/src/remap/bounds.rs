//! The ranges of stored coordinates, by interval arithmetic over the sizes of the modes.

use super::{Coord, CoordOp, Remap, Term};
use std::ops::Range;

/// The coordinates `low .. low + size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoordBounds {
    /// The least coordinate; negative for the diagonals of a matrix.
    pub low: i64,
    /// How many coordinates there are.
    pub size: usize,
}

impl CoordBounds {
    /// The coordinates as a range.
    pub fn range(self) -> std::ops::Range<i64> {
        self.low..self.low.saturating_add_unsigned(self.size as u64)
    }
}

/// The values from the least to the largest one.
#[derive(Clone, Copy)]
struct IntInterval {
    low: i128,
    high: i128,
}

impl IntInterval {
    const ANY: IntInterval = IntInterval::new(i64::MIN as i128, i64::MAX as i128);

    const fn new(low: i128, high: i128) -> IntInterval {
        IntInterval { low, high }
    }
}

impl Remap {
    /// The range of stored coordinate `k` of a tensor of this shape; empty where the tensor has no elements.
    pub fn bounds(&self, k: usize, shape: &[usize]) -> CoordBounds {
        if let Some((_, _, c)) = self.quotient_of(k) {
            // Blocks have one size, however small the tensor is.
            return CoordBounds { low: 0, size: usize::try_from(c).unwrap_or(usize::MAX) };
        }
        let coord = &self.coords[k];
        if coord.inline_locals().modes().iter().any(|&m| shape[m] == 0) {
            return CoordBounds { low: 0, size: 0 };
        }
        let whole: Vec<Range<i64>> = shape.iter().map(|&n| 0..i64::try_from(n).unwrap_or(i64::MAX)).collect();
        let IntInterval { low, high } = interval(&self.coords[k], shape, &whole);
        let clamp = |x: i128| x.clamp(i64::MIN as i128, i64::MAX as i128);
        let (low, high) = (clamp(low), clamp(high));
        CoordBounds { low: low as i64, size: usize::try_from(high - low + 1).unwrap_or(usize::MAX) }
    }
    /// A range that holds stored coordinate `k` of every element whose modes lie in these ranges, of a tensor of this shape.
    ///
    /// ```
    /// use openwork_base::Source;
    /// use openwork_format::Remap;
    /// let blocks = Remap::parse(&Source::new("remap", "(i,j) -> (i/4, j/4, i%4, j%4, i, j)")).unwrap();
    /// assert_eq!(blocks.bounds_within(0, &[40, 40], &[6..14, 0..40]).range(), 1..4);
    /// ```
    pub fn bounds_within(&self, k: usize, shape: &[usize], modes: &[Range<i64>]) -> CoordBounds {
        let whole = self.bounds(k, shape);
        if self.coords[k].inline_locals().modes().iter().any(|&m| modes[m].is_empty()) {
            return CoordBounds { size: 0, ..whole };
        }
        let IntInterval { low, high } = interval(&self.coords[k], shape, modes);
        let all = whole.range();
        let (low, high) = (low.max(all.start as i128), (high + 1).min(all.end as i128));
        CoordBounds { low: low as i64, size: usize::try_from(high - low).unwrap_or(0) }
    }
}

fn interval(coord: &Coord, shape: &[usize], modes: &[Range<i64>]) -> IntInterval {
    let mut locals: Vec<IntInterval> = Vec::new();
    for (_, term) in &coord.lets {
        let found = term_interval(term, shape, modes, &locals);
        locals.push(found);
    }
    term_interval(&coord.value, shape, modes, &locals)
}

fn term_interval(t: &Term, shape: &[usize], modes: &[Range<i64>], locals: &[IntInterval]) -> IntInterval {
    match t {
        Term::Const(c) => IntInterval::new(*c as i128, *c as i128),
        Term::Mode(m) => IntInterval::new(modes[*m].start as i128, modes[*m].end as i128 - 1),
        Term::Local(n) => locals[*n],
        Term::Counter(alike) => {
            // Elements that agree in these modes differ in the others, whichever of them are asked for.
            let others = (0..shape.len()).filter(|m| !alike.contains(m));
            let most = others.fold(1i128, |n, m| n.saturating_mul(shape[m] as i128));
            IntInterval::new(0, most.min(i64::MAX as i128) - 1)
        }
        Term::Binary(op, a, b) => {
            let side = |t: &Term| term_interval(t, shape, modes, locals);
            operation(*op, side(a), side(b))
        }
    }
}

fn operation(op: CoordOp, a: IntInterval, b: IntInterval) -> IntInterval {
    let corners = |f: &dyn Fn(i128, i128) -> i128| {
        let all = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)];
        let low = all.into_iter().fold(i128::MAX, i128::min);
        IntInterval::new(low, all.into_iter().fold(i128::MIN, i128::max))
    };
    let non_negative = a.low >= 0 && b.low >= 0;
    let found = match op {
        CoordOp::Add => IntInterval::new(a.low + b.low, a.high + b.high),
        CoordOp::Sub => IntInterval::new(a.low - b.high, a.high - b.low),
        CoordOp::Mul => corners(&|x, y| x.saturating_mul(y)),
        CoordOp::Div if b.low == b.high && b.low > 0 => {
            IntInterval::new(a.low.div_euclid(b.low), a.high.div_euclid(b.low))
        }
        CoordOp::Rem if b.low == b.high && b.low > 0 => {
            // Blocks have one size, however small the tensor is.
            IntInterval::new(0, b.low - 1)
        }
        // Numbers below the lowest bit of a mask have none of its bits.
        CoordOp::And
            if a.low >= 0 && b.low == b.high && b.low > 0 && a.high < 1 << b.low.trailing_zeros() =>
        {
            IntInterval::new(0, 0)
        }
        CoordOp::And if a.low >= 0 || b.low >= 0 => {
            // The result has no bits beyond those of the argument that is not negative.
            let least = [a, b].into_iter().filter(|x| x.low >= 0).map(|x| x.high).min().unwrap_or(0);
            IntInterval::new(0, least)
        }
        CoordOp::Or | CoordOp::Xor if non_negative => {
            let most = a.high.max(b.high) as u128;
            IntInterval::new(0, (most + 1).next_power_of_two() as i128 - 1)
        }
        CoordOp::And | CoordOp::Or | CoordOp::Xor => {
            // Numbers of so many bits and a sign.
            let magnitude = |x: i128| if x < 0 { -x } else { x + 1 };
            let most = [a.low, a.high, b.low, b.high].map(magnitude).into_iter().fold(1, i128::max);
            let power = (most as u128).next_power_of_two() as i128;
            IntInterval::new(-power, power - 1)
        }
        CoordOp::Shl if b.low >= 0 && b.high < 63 => corners(&|x, y| x.saturating_mul(1i128 << y)),
        CoordOp::Shr if b.low >= 0 && b.high < 64 => corners(&|x, y| x >> y),
        CoordOp::Div | CoordOp::Rem | CoordOp::Shl | CoordOp::Shr => IntInterval::ANY,
    };
    if found.low < IntInterval::ANY.low || found.high > IntInterval::ANY.high {
        IntInterval::ANY
    } else {
        found
    }
}
