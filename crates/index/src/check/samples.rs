//! Sample values on which the promises about a function are tested.

use openwork_algebra::operator::IterationAlgebra;
use openwork_algebra::{DType, DTypeKind, Operator, Scalar, ScalarFunction};

/// The most lists of arguments with which a promise is tested.
const LISTS: usize = 4000;
/// What a promise says that is not so, with arguments that show it.
type Broken = String;

/// A function and the values that it is tested with.
pub(super) struct TestedFunction<'a> {
    name: &'a str,
    function: &'a ScalarFunction,
    points: Vec<Scalar>,
    /// Those that promises name.
    named: Vec<Scalar>,
}

impl<'a> TestedFunction<'a> {
    /// Tests on small values, the extremes, and those that are named.
    pub(super) fn new(name: &'a str, function: &'a ScalarFunction, named: Vec<Scalar>) -> TestedFunction<'a> {
        let dtype = function.dtype;
        let mut all: Vec<Scalar> = [0, 1, 2, 5, -3].iter().map(|&n| Scalar::from_i64(n, dtype)).collect();
        if dtype.kind() >= DTypeKind::Float {
            all.extend([0.5, -1.0, 3.25, 1e3, -1e-3].map(|x| Scalar::from_f64(x, dtype)));
            all.extend([f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(|x| Scalar::from_f64(x, dtype)));
        } else {
            all.extend([Scalar::lowest(dtype), Scalar::highest(dtype)].into_iter().flatten());
        }
        let mut points: Vec<Scalar> = Vec::new();
        for v in all.into_iter().chain(named.iter().copied()) {
            if !points.iter().any(|p| p.is_same(v)) {
                points.push(v);
            }
        }
        TestedFunction { name, function, points, named }
    }
    /// Whether arguments are finite, or named: for others, a promise need not hold by itself.
    fn is_plain(&self, args: &[Scalar]) -> bool {
        args.iter().all(|a| a.is_finite() || self.named.iter().any(|n| n.is_same(*a)))
    }
    fn evaluate(&self, args: &[Scalar]) -> Option<Scalar> {
        self.function.eval(args)
    }
    fn describe_value(&self, args: &[Scalar], value: Scalar) -> String {
        let args: Vec<String> = args.iter().map(Scalar::to_string).collect();
        format!("{}({}) is {value}", self.name, args.join(", "))
    }
    /// Values without infinities and NaN.
    fn finite(&self) -> impl Iterator<Item = Scalar> {
        self.points.iter().copied().filter(|v| v.is_finite())
    }
    fn pairs(&self) -> impl Iterator<Item = (Scalar, Scalar)> {
        self.finite().flat_map(|x| self.finite().map(move |y| (x, y)))
    }
    pub(super) fn commutes(&self) -> Result<(), Broken> {
        expect_none(self.pairs().find_map(|(x, y)| {
            let (a, b) = (self.evaluate(&[x, y])?, self.evaluate(&[y, x])?);
            (!is_near(a, b))
                .then(|| format!("{}, {}", self.describe_value(&[x, y], a), self.describe_value(&[y, x], b)))
        }))
    }
    pub(super) fn associates(&self) -> Result<(), Broken> {
        expect_none(self.pairs().find_map(|(x, y)| {
            self.finite().find_map(|z| {
                let left = self.evaluate(&[self.evaluate(&[x, y])?, z])?;
                let right = self.evaluate(&[x, self.evaluate(&[y, z])?])?;
                let f = self.name;
                (!is_near(left, right))
                    .then(|| format!("{f}({f}({x}, {y}), {z}) is {left}, {f}({x}, {f}({y}, {z})) is {right}"))
            })
        }))
    }
    pub(super) fn repeats(&self) -> Result<(), Broken> {
        expect_none(self.finite().find_map(|x| {
            let value = self.evaluate(&[x, x])?;
            (!is_near(value, x)).then(|| self.describe_value(&[x, x], value))
        }))
    }
    pub(super) fn leaves(&self, id: Scalar, param: Option<usize>) -> Result<(), Broken> {
        let places = param.map_or(vec![0, 1], |n| vec![n]);
        expect_none(places.into_iter().find_map(|n| {
            self.finite().find_map(|x| {
                let args = if n == 0 { [id, x] } else { [x, id] };
                let value = self.evaluate(&args)?;
                (!is_near(value, x)).then(|| self.describe_value(&args, value))
            })
        }))
    }
    /// Of one argument, or of either of two; what reduces nothing must stay what it is as well.
    pub(super) fn distributes(&self, over: &Operator) -> Result<(), Broken> {
        let arity = self.function.arity;
        let beside = |n: usize, x: Scalar, y: Scalar| match arity {
            1 => vec![y],
            _ if n == 0 => vec![y, x],
            _ => vec![x, y],
        };
        let nothing = over.identity_at(0, self.function.dtype);
        for n in 0..arity.min(2) {
            for (x, y) in self.pairs() {
                let mut thirds = self.finite();
                if let Some(id) = nothing
                    && let Some(value) = self.evaluate(&beside(n, x, id)).filter(|value| !is_near(*value, id))
                {
                    return Err(self.describe_value(&beside(n, x, id), value));
                }
                let apart = thirds.find_map(|z| {
                    let all = self.evaluate(&beside(n, x, over.eval(&[y, z])?))?;
                    let each =
                        over.eval(&[self.evaluate(&beside(n, x, y))?, self.evaluate(&beside(n, x, z))?])?;
                    (!is_near(all, each))
                        .then(|| format!("of {y} and {z} beside {x} it is {all}, and {each} of each"))
                });
                expect_none(apart)?;
            }
        }
        Ok(())
    }
    /// Whether an annihilator decides beside infinities and NaN by itself.
    pub(super) fn decides(&self, value: Scalar, param: Option<usize>) -> Result<bool, Broken> {
        let mut sure = true;
        for args in self.lists() {
            let here = match param {
                Some(n) => args[n].is_same(value),
                None => args.iter().any(|a| a.is_same(value)),
            };
            let Some(got) = self.evaluate(&args).filter(|_| here) else { continue };
            if self.is_plain(&args) && !is_near(got, value) {
                return Err(self.describe_value(&args, got));
            }
            sure &= got.is_same(value);
        }
        Ok(sure)
    }
    /// The value outside of an algebra, and whether it has it beside infinities and NaN by itself; nothing if nothing is
    /// outside.
    pub(super) fn outside_value(&self, space: &IterationAlgebra) -> Result<Option<(Scalar, bool)>, Broken> {
        let mut first: Option<(Vec<Scalar>, Scalar)> = None;
        let mut sure = true;
        let mut lists = self.lists();
        lists.retain(|args| !space.holds(args));
        // What numbers come to is the value, but for 0/0 and the like.
        let order = |args: &[Scalar]| {
            let value = self.evaluate(args);
            (!self.is_plain(args), value.is_none_or(Scalar::is_nan))
        };
        lists.sort_by_cached_key(|args| order(args));
        for args in lists {
            let Some(got) = self.evaluate(&args) else { continue };
            match &first {
                None => first = Some((args, got)),
                Some((at, value)) if self.is_plain(&args) && !is_near(got, *value) => {
                    return Err(format!(
                        "{}, {}",
                        self.describe_value(at, *value),
                        self.describe_value(&args, got)
                    ));
                }
                Some((_, value)) => sure &= got.is_same(*value),
            }
        }
        Ok(first.map(|(_, value)| (value, sure)))
    }
    /// Lists of arguments: all, or as many as are tested, spread over all.
    fn lists(&self) -> Vec<Vec<Scalar>> {
        let (n, arity) = (self.points.len(), self.function.arity);
        let all = n.checked_pow(arity as u32).filter(|all| *all <= LISTS);
        let list = |mut at: usize| {
            (0..arity)
                .map(|_| {
                    let value = self.points[at % n];
                    at /= n;
                    value
                })
                .collect::<Vec<_>>()
        };
        match all {
            Some(all) => (0..all).map(list).collect(),
            // A linear congruence, so that every test is the same one.
            None => {
                let mut seed = 0x2545_f491_4f6c_dd1d_u64;
                let mut next = || {
                    seed =
                        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (seed >> 33) as usize
                };
                (0..LISTS).map(|_| (0..arity).map(|_| self.points[next() % n]).collect()).collect()
            }
        }
    }
}

fn expect_none(broken: Option<Broken>) -> Result<(), Broken> {
    broken.map_or(Ok(()), Err)
}

/// Equal: exactly for integers, within rounding for others. What is no number is equal to everything.
fn is_near(a: Scalar, b: Scalar) -> bool {
    if a.dtype().kind() < DTypeKind::Float {
        return a.is_same(b);
    }
    let (x, y) = (a.as_complex(), b.as_complex());
    if !a.is_finite() || !b.is_finite() {
        return a.is_same(b) || a.is_nan() || b.is_nan();
    }
    let tolerance = if matches!(a.dtype(), DType::F32 | DType::C64) { 1e-4 } else { 1e-9 };
    (x - y).norm() <= tolerance * x.norm().max(y.norm()).max(1.0)
}
