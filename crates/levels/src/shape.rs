//! What the children of a place look like: the closed set that lowering matches on.

use openwork_algebra::{DType, Prim, Scalar};
use openwork_loops::build::{add, call, cast, constant, eq, int, load, lt, mul};
use openwork_loops::{BufId, Expr, LoopKernel, VarId, substitute};

/// What the children of a place look like. Closed, so that one `match` holds every merge rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Every coordinate of the dimension is there; positions come from [`Locate`](crate::Locate).
    Every,
    /// The positions `lo..hi`.
    Positions {
        /// First position.
        lo: Expr,
        /// One past the last.
        hi: Expr,
        /// The coordinate at a position.
        coord: CoordSource,
        /// How the coordinates follow one another.
        order: CoordOrder,
        /// Whether a position holds a child.
        test: ChildTest,
    },
    /// At most one child, at the parent's own position.
    Single {
        /// Its coordinate.
        coord: CoordSource,
        /// Whether it is there.
        test: ChildTest,
    },
    /// Runs of coordinates that share a position: position `p` covers the coordinates from `ends[p - 1]` (from `low` at
    /// `p == lo`) up to `ends[p]`, exclusive.
    Runs {
        /// First position.
        lo: Expr,
        /// One past the last.
        hi: Expr,
        /// Where each run ends.
        ends: BufId,
        /// The least coordinate.
        low: Expr,
    },
    /// One bit per coordinate, 64 to a word.
    Bits {
        /// The words.
        words: BufId,
        /// The parent's first word.
        first: Expr,
        /// The parent's first position.
        base: Expr,
        /// The least coordinate.
        low: Expr,
        /// How many coordinates there are.
        size: Expr,
    },
}

/// How coordinates follow one another along positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordOrder {
    /// They do not fall.
    Sorted,
    /// In any order.
    Unsorted,
}

/// The coordinate at a position.
#[derive(Clone, Debug, PartialEq)]
pub enum CoordSource {
    /// `crd[p * stride + offset]`.
    Stored {
        /// The array.
        crd: BufId,
        /// Elements per position.
        stride: i64,
        /// Which of them.
        offset: i64,
    },
    /// `crd[p - base]`: the same list for every parent.
    Listed {
        /// The array.
        crd: BufId,
        /// The first position.
        base: Expr,
    },
    /// `p - base + low`.
    Counted {
        /// The first position.
        base: Expr,
        /// The coordinate there.
        low: Expr,
    },
    /// A value that does not depend on the position.
    Is(Expr),
    /// `before + 1 + min(steps[p], most)`, where `before` is the coordinate at the position before, and what is given
    /// here at the first one: only a walk from the first position on knows it.
    Stepped {
        /// The differences.
        steps: BufId,
        /// The largest difference that counts.
        most: i64,
        /// One less than the least coordinate that the first position can have.
        before: Expr,
    },
    /// The number of `crd[p]` among the coordinates of a window.
    Windowed(Strided),
}

/// Stored coordinates as those of a window number them: `start` is 0, `start + step` is 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Strided {
    /// The array.
    pub crd: BufId,
    /// The type of its elements.
    pub elem: DType,
    /// The first coordinate of the window.
    pub start: Expr,
    /// How far the next one is; at least 1.
    pub step: i64,
}

impl Strided {
    /// The stored coordinate at position `p`.
    pub fn stored_coordinate(&self, p: Expr) -> Expr {
        cast(DType::I64, self.elem, load(self.crd, p))
    }
    /// The coordinate that the window numbers `n`.
    pub fn window_coordinate(&self, n: Expr) -> Expr {
        add(mul(n, int(self.step)), self.start.clone())
    }
    /// The number of the last coordinate of the window that is not beyond the one at position `p`.
    fn number(&self, p: Expr) -> Expr {
        let far = sub(self.stored_coordinate(p), self.start.clone());
        match self.step {
            1 => far,
            n if n.count_ones() == 1 => call(Prim::Shr, far, int(i64::from(n.trailing_zeros()))),
            n => call(Prim::Quot, far, int(n)),
        }
    }
    /// Whether the coordinate at position `p` lies between those of the window.
    pub fn is_between(&self, p: Expr) -> Expr {
        let far = sub(self.stored_coordinate(p), self.start.clone());
        let rest = match self.step {
            n if n.count_ones() == 1 => call(Prim::And, far, int(n - 1)),
            n => call(Prim::Rem, far, int(n)),
        };
        call(Prim::Ne, rest, int(0))
    }
}

impl CoordSource {
    /// `crd[p]`.
    pub fn from_array(crd: BufId) -> CoordSource {
        CoordSource::Stored { crd, stride: 1, offset: 0 }
    }
    /// The coordinate at position `p`.
    pub fn value_at(&self, kernel: &LoopKernel, p: Expr) -> Expr {
        match self {
            CoordSource::Stored { crd, stride, offset } => {
                kernel.load_index(*crd, add(mul(p, int(*stride)), int(*offset)))
            }
            CoordSource::Listed { crd, base } => kernel.load_index(*crd, sub(p, base.clone())),
            CoordSource::Counted { base, low } => add(sub(p, base.clone()), low.clone()),
            CoordSource::Is(value) => value.clone(),
            CoordSource::Stepped { steps, most, before } => {
                let step = call(Prim::Min, kernel.load_index(*steps, p), int(*most));
                add(add(before.clone(), int(1)), step)
            }
            CoordSource::Windowed(of) => of.number(p),
        }
    }
}

/// Whether a position holds a child.
#[derive(Clone, Debug, PartialEq)]
pub enum ChildTest {
    /// It always does.
    Always,
    /// Its coordinate is not this mark of emptiness.
    NotEmpty(i64),
    /// `mask[p]`.
    Mask(BufId),
    /// Bit `p - base` of the words from `first` on.
    Bit {
        /// The words.
        words: BufId,
        /// The parent's first word.
        first: Expr,
        /// The parent's first position.
        base: Expr,
    },
    /// Its coordinate is less than the size, and not negative.
    Inside(Expr),
    /// `array[p] <= most`.
    AtMost {
        /// The array, whose numbers are not negative.
        array: BufId,
        /// The largest number of a position that holds a child.
        most: Scalar,
    },
    /// Its stored coordinate is one of those that its window numbers.
    Aligned(Strided),
    /// The same, and that number is one of so many.
    Within(Strided, Expr),
    /// What another test says, and something that is said of the coordinate.
    Such {
        /// The other test.
        test: Box<ChildTest>,
        /// Stands for the coordinate.
        coord: VarId,
        /// What holds of it.
        holds: Expr,
    },
}

impl ChildTest {
    /// The same test, where in addition `holds` is true of the coordinate, for which `coord` stands.
    pub fn such_that(self, coord: VarId, holds: Expr) -> ChildTest {
        ChildTest::Such { test: Box::new(self), coord, holds }
    }
    /// This test in place of the one behind what is said of coordinates.
    pub fn replace_inner(&self, inner: ChildTest) -> ChildTest {
        match self {
            ChildTest::Such { test, coord, holds } => {
                test.replace_inner(inner).such_that(*coord, holds.clone())
            }
            ChildTest::Always
            | ChildTest::NotEmpty(_)
            | ChildTest::Mask(_)
            | ChildTest::Bit { .. }
            | ChildTest::Inside(_)
            | ChildTest::AtMost { .. }
            | ChildTest::Aligned(_)
            | ChildTest::Within(..) => inner,
        }
    }
    /// Whether it is asked of the coordinate of a slot that may be empty.
    pub fn is_of_slots(&self) -> bool {
        match self {
            ChildTest::NotEmpty(_) => true,
            ChildTest::Such { test, .. } => test.is_of_slots(),
            ChildTest::Always
            | ChildTest::Mask(_)
            | ChildTest::Bit { .. }
            | ChildTest::Inside(_)
            | ChildTest::AtMost { .. }
            | ChildTest::Aligned(_)
            | ChildTest::Within(..) => false,
        }
    }
    /// The condition at position `p` with coordinate `coord`.
    pub fn condition_at(&self, p: Expr, coord: Expr) -> Option<Expr> {
        Some(match self {
            ChildTest::Always => return None,
            ChildTest::NotEmpty(mark) => call(Prim::Ne, coord, int(*mark)),
            ChildTest::Mask(mask) => load(*mask, p),
            ChildTest::AtMost { array, most } => call(Prim::Le, load(*array, p), constant(*most)),
            ChildTest::Bit { words, first, base } => bit(*words, first.clone(), sub(p, base.clone())),
            ChildTest::Aligned(of) => equals(of.stored_coordinate(p), of.window_coordinate(coord)),
            ChildTest::Within(of, size) => {
                let aligned = equals(of.stored_coordinate(p), of.window_coordinate(coord.clone()));
                let inside = ChildTest::Inside(size.clone()).condition_at(int(0), coord)?;
                openwork_loops::build::and_also(inside, aligned)
            }
            ChildTest::Such { test, coord: hole, holds } => {
                let holds = substitute(holds, &|v| (v == *hole).then(|| coord.clone()));
                let asked = test.is_of_slots();
                match test.condition_at(p, coord) {
                    // Both are known, so neither waits for the other.
                    Some(test) if asked => call(Prim::And, test, holds),
                    Some(test) => openwork_loops::build::and_also(test, holds),
                    None => holds,
                }
            }
            ChildTest::Inside(size) => {
                let above = call(Prim::Ge, coord.clone(), int(0));
                openwork_loops::build::and_also(above, lt(coord, size.clone()))
            }
        })
    }
}

/// Whether bit `n` of the words from `first` on is set.
pub(crate) fn bit(words: BufId, first: Expr, n: Expr) -> Expr {
    let word = load(words, add(first, call(Prim::Shr, n.clone(), int(6))));
    let mask = call(Prim::Shl, int(1), call(Prim::And, n, int(63)));
    call(Prim::Ne, call(Prim::And, word, mask), int(0))
}

/// `a - b` on indices; subtracting nothing folds.
pub(crate) fn sub(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (_, Expr::Const(Scalar::I64(0))) => a,
        (Expr::Const(Scalar::I64(x)), Expr::Const(Scalar::I64(y))) => int(x.wrapping_sub(*y)),
        _ if a == b => int(0),
        _ => call(Prim::Sub, a, b),
    }
}

/// `a == b`.
pub(crate) fn equals(a: Expr, b: Expr) -> Expr {
    eq(a, b)
}
