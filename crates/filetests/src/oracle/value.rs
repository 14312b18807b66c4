//! Scalars that know how far a correct compiler may be from them.

use openwork_algebra::{Arithmetic, DType, DTypeKind, Library, Prim, Scalar};

/// A value with the distance that other orders of evaluation may have from it.
///
/// Integers and truth values are exact. For floats `size * round` bounds the distance: `size` is the sum of the
/// absolute values that went into the value and `round` adds up one machine epsilon per operation. `slack` is the
/// same bound, counting only operations that did round here; a comparison inside a statement relies on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approx {
    /// The value, in its dtype.
    pub value: Scalar,
    /// The sum of the magnitudes of its terms.
    pub size: f64,
    /// The epsilons of all operations.
    pub round: f64,
    /// The absolute error that rounding may have caused so far.
    pub slack: f64,
}

/// Why a result is not decided by the semantics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// Something was divided by a zero, whose sign nothing promises, or complex numbers have infinite or undefined parts,
    /// which products and quotients may spread in several ways.
    Undefined,
    /// A comparison or conversion depends on how a float was rounded.
    Rounded,
    /// A sum of products of several factors, which may be taken in steps, or of products with sums, which may be multiplied
    /// out, has terms that are not finite: infinities of two signs meet in some orders only. Or a reduction by products has
    /// factors whose product is out of range in some order: beside a factor of zero it is NaN in that order, and zero in others.
    Regrouped,
    /// A reduction is taken anew at every step of another one, over more elements than anybody would wait for.
    Vast,
}

/// Whether `prim` is known to commute and associate, so that it can fold; and what it starts from.
pub(super) fn identity(prim: Prim, dtype: DType) -> Option<Scalar> {
    match prim {
        Prim::Add => Some(Scalar::zero(dtype)),
        Prim::Mul => Some(Scalar::one(dtype)),
        Prim::Min => Scalar::highest(dtype),
        Prim::Max => Scalar::lowest(dtype),
        Prim::And => Scalar::all_ones(dtype),
        Prim::Library(Library::Fmin | Library::Fmax) if dtype.is_float() => {
            Some(Scalar::from_f64(f64::NAN, dtype))
        }
        Prim::Library(Library::Fmin) => Scalar::highest(dtype),
        Prim::Library(Library::Fmax) => Scalar::lowest(dtype),
        Prim::Library(Library::Logaddexp | Library::Logaddexp2) if dtype.is_float() => Scalar::lowest(dtype),
        Prim::Library(Library::Gcd) if dtype.kind() == DTypeKind::Unsigned => Some(Scalar::zero(dtype)),
        Prim::Choose => Some(Scalar::zero(dtype)),
        Prim::Or | Prim::Xor if !dtype.is_inexact() => Some(Scalar::zero(dtype)),
        _ => None,
    }
}

/// The distance from one to the next number of a float dtype; 0 for the exact dtypes.
pub fn epsilon(dtype: DType) -> f64 {
    match dtype.real() {
        DType::F32 => f32::EPSILON as f64,
        DType::F64 => f64::EPSILON,
        _ => 0.0,
    }
}

fn is_zero(s: Scalar) -> bool {
    let z = s.as_complex();
    z.re == 0.0 && z.im == 0.0
}

impl Approx {
    /// A value as given.
    pub fn exact(value: Scalar) -> Approx {
        // No order of evaluation comes near an infinity without meeting it.
        let sized = value.dtype().is_inexact() && value.is_finite();
        let size = if sized { value.as_complex().norm() } else { 0.0 };
        Approx { value, size, round: 0.0, slack: 0.0 }
    }
    /// Whether `got` is a value that another order of evaluation may have.
    pub fn allows(&self, got: Scalar) -> bool {
        if self.value.is_same(got) {
            return true;
        }
        if self.value.dtype() != got.dtype() || !got.dtype().is_inexact() {
            return false;
        }
        let (want, have) = (self.value.as_complex(), got.as_complex());
        let tiny = if got.dtype().real() == DType::F32 { 1e-30 } else { 1e-290 };
        let bound =
            4.0 * self.size * self.round + 4.0 * self.slack + if self.round > 0.0 { tiny } else { 0.0 };
        (want - have).norm() <= bound
    }
    /// The value converted.
    pub(super) fn cast(self, to: DType, doubt: &mut Option<Doubt>) -> Approx {
        let from = self.value.dtype();
        let value = self.value.cast(to);
        if !to.is_inexact() {
            let near = |by: f64| Scalar::from_f64(self.value.as_f64() + by, to).is_same(value);
            if from.is_inexact() && self.slack > 0.0 && !(near(self.slack) && near(-self.slack)) {
                *doubt = doubt.or(Some(Doubt::Rounded));
            }
            return Approx::exact(value);
        }
        if !from.is_inexact() {
            return Approx::exact(value);
        }
        let eps = epsilon(to);
        let lost = if value.cast(from).is_same(self.value) { 0.0 } else { eps * self.size };
        Approx { value, size: self.size, round: self.round + eps, slack: self.slack + lost }
    }
}

/// Applies a primitive and follows the error.
pub(super) fn apply(
    prim: Prim,
    args: &[Approx],
    arithmetic: Arithmetic,
    doubt: &mut Option<Doubt>,
) -> Approx {
    let scalars: Vec<Scalar> = args.iter().map(|a| a.value).collect();
    let value = prim
        .eval(&scalars)
        .unwrap_or_else(|| panic!("the oracle types its own operators: {prim:?} of {scalars:?}"));
    if let (Prim::Select, Scalar::Bool(c)) = (prim, scalars[0]) {
        return if c { args[1] } else { args[2] };
    }
    let (a, b) = (args[0], args[args.len() - 1]);
    if prim == Prim::Choose {
        if a.slack > 0.0 && a.value.as_complex().norm() <= a.slack {
            *doubt = doubt.or(Some(Doubt::Rounded));
        }
        return if is_zero(a.value) { b } else { a };
    }
    let from = a.value.dtype();
    if !from.is_inexact() {
        return Approx::exact(value);
    }
    if let Prim::Library(f) = prim {
        return library(f, args, value, doubt);
    }
    if arithmetic == Arithmetic::Annihilating
        && let Some(decided) = annihilate(prim, args, doubt)
    {
        return decided;
    }
    // Another order may divide by zero, or not.
    let vanishes = |x: &Approx| x.slack > 0.0 && x.value.as_complex().norm() <= x.slack;
    if prim == Prim::Div && (vanishes(&b) || (vanishes(&a) && is_zero(b.value))) {
        *doubt = doubt.or(Some(Doubt::Rounded));
    }
    if is_undecided(prim, a.value, b.value) {
        *doubt = doubt.or(Some(Doubt::Undefined));
    }
    if !value.is_finite() {
        return Approx::exact(value);
    }
    if prim.is_comparison() {
        let gap = (a.value.as_complex() - b.value.as_complex()).norm();
        let slack = a.slack + b.slack;
        if slack > 0.0 && gap <= slack {
            *doubt = doubt.or(Some(Doubt::Rounded));
        }
        return Approx::exact(value);
    }
    propagate_error(prim, a, b, value)
}

/// The error of a finite value, by those of its arguments.
fn propagate_error(prim: Prim, a: Approx, b: Approx, value: Scalar) -> Approx {
    let from = a.value.dtype();
    let eps = epsilon(from);
    let rounded = |size: f64| if exactly(prim, a.value, b.value, value) { 0.0 } else { eps * size };
    match prim {
        Prim::Add | Prim::Sub => {
            let size = a.size + b.size;
            // Terms of very different sizes round in some orders only.
            let wide = size * eps * 64.0 > 1.0;
            let slack = a.slack + b.slack + if wide { eps * size } else { rounded(size) };
            Approx { value, size, round: a.round + b.round + eps, slack }
        }
        Prim::Mul => {
            let size = a.size * b.size;
            let slack = a.slack * b.size + b.slack * a.size + rounded(size);
            Approx { value, size, round: a.round + b.round + eps, slack }
        }
        Prim::Div => {
            let by = b.value.as_complex().norm();
            let size = a.size / by * (b.size / by).max(1.0);
            let slack = (a.slack + b.slack * a.size / by) / by + rounded(size);
            Approx { value, size, round: a.round + b.round + 2.0 * eps, slack }
        }
        Prim::Abs if from.is_complex() => {
            Approx { value, size: a.size, round: a.round + 2.0 * eps, slack: a.slack + rounded(a.size) }
        }
        _ => Approx {
            value,
            size: a.size.max(b.size),
            round: a.round.max(b.round),
            slack: a.slack.max(b.slack),
        },
    }
}

/// A function of the library: of exact values it rounds itself, and what it makes of others is not followed.
fn library(f: Library, args: &[Approx], value: Scalar, doubt: &mut Option<Doubt>) -> Approx {
    if args.iter().any(|a| a.slack > 0.0) {
        *doubt = doubt.or(Some(Doubt::Rounded));
    }
    // The sign of a zero is nothing that anybody promises, and decides between two infinities.
    if f == Library::Power && is_zero(args[0].value) && args[1].value.as_f64() < 0.0 {
        *doubt = doubt.or(Some(Doubt::Undefined));
    }
    let first = args[0].value;
    if first.dtype().is_complex() {
        return complex(f, first, value, doubt);
    }
    // The angle of a zero hangs on its sign as well.
    if f == Library::Angle && is_zero(first) {
        *doubt = doubt.or(Some(Doubt::Undefined));
    }
    let composed = matches!(f, Library::Angle | Library::Logaddexp | Library::Logaddexp2);
    if f.c_name().is_empty() && !composed || f == Library::Sqrt || !value.is_finite() {
        return Approx::exact(value);
    }
    round_value(value)
}

/// A function of complex numbers; of those on an axis, the sign of a zero tells on which side of a cut they are.
fn complex(f: Library, x: Scalar, value: Scalar, doubt: &mut Option<Doubt>) -> Approx {
    let z = x.as_complex();
    let whole = matches!(
        f,
        Library::Real
            | Library::Imag
            | Library::Conj
            | Library::Rint
            | Library::Isnan
            | Library::Isinf
            | Library::Isfinite
    );
    let smooth = matches!(
        f,
        Library::Exp
            | Library::Exp2
            | Library::Expm1
            | Library::Sin
            | Library::Cos
            | Library::Sinh
            | Library::Cosh
    );
    if !whole && !smooth && (z.re == 0.0 || z.im == 0.0) || !whole && !z.is_finite() {
        *doubt = doubt.or(Some(Doubt::Undefined));
    }
    if whole || !value.is_finite() { Approx::exact(value) } else { round_value(value) }
}

fn round_value(value: Scalar) -> Approx {
    let eps = 4.0 * epsilon(value.dtype());
    let exact = Approx::exact(value);
    Approx { round: eps, slack: eps * exact.size, ..exact }
}

/// The value that decides a product, minimum or maximum, whatever stands beside it (DESIGN §4).
fn annihilate(prim: Prim, args: &[Approx], doubt: &mut Option<Doubt>) -> Option<Approx> {
    let dtype = args[0].value.dtype();
    let decides = match prim {
        Prim::Mul => Scalar::zero(dtype),
        Prim::Min => Scalar::lowest(dtype)?,
        Prim::Max => Scalar::highest(dtype)?,
        _ => return None,
    };
    if args.iter().all(|a| a.value.is_finite()) {
        return None;
    }
    // Another order may miss the value that decides, or meet it, by what it rounds.
    let near = |a: &Approx| a.slack > 0.0 && (a.value.as_complex() - decides.as_complex()).norm() <= a.slack;
    if args.iter().any(near) {
        *doubt = doubt.or(Some(Doubt::Rounded));
    }
    args.iter().any(|a| a.value.is_same(decides)).then(|| Approx::exact(decides))
}

/// Whether the semantics leaves the answer open.
fn is_undecided(prim: Prim, a: Scalar, b: Scalar) -> bool {
    match prim {
        Prim::Mul => a.dtype().is_complex() && !(a.is_finite() && b.is_finite()),
        Prim::Div if a.dtype().is_complex() => is_zero(b) || !(a.is_finite() && b.is_finite()),
        // 0/0 and NaN are decided; of other numbers over zero, the sign is that of a zero.
        Prim::Div => is_zero(b) && !is_zero(a) && !a.is_nan(),
        _ => false,
    }
}

/// Whether the operation did not round.
fn exactly(prim: Prim, a: Scalar, b: Scalar, out: Scalar) -> bool {
    if a.dtype().is_complex() {
        // Components that are small multiples of a quarter are exact; everything else counts as rounded.
        let small = |s: Scalar| {
            let z = s.as_complex();
            [z.re, z.im].iter().all(|x| (x * 16.0).fract() == 0.0 && x.abs() < 1e3)
        };
        return matches!(prim, Prim::Add | Prim::Sub | Prim::Mul) && small(a) && small(b);
    }
    let (x, y, z) = (a.as_f64(), b.as_f64(), out.as_f64());
    match prim {
        Prim::Add | Prim::Sub => {
            let y = if prim == Prim::Sub { -y } else { y };
            let part = z - x;
            (x - (z - part)) + (y - part) == 0.0
        }
        Prim::Mul => x.mul_add(y, -z) == 0.0,
        Prim::Div => z.mul_add(y, -x) == 0.0,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_values_allow_nothing_else_and_sums_allow_their_rounding() {
        let (mut doubt, way) = (None, Arithmetic::default());
        let third = apply(Prim::Div, &[1.0, 3.0].map(|x| Approx::exact(Scalar::F64(x))), way, &mut doubt);
        let sum = apply(Prim::Add, &[third, third], way, &mut doubt);
        assert!(sum.allows(Scalar::F64(2.0 / 3.0 + 1e-16)) && !sum.allows(Scalar::F64(0.667)));
        assert!(!Approx::exact(Scalar::F64(1.0)).allows(Scalar::F64(1.0 + 1e-15)));
        assert!(Approx::exact(Scalar::F32(f32::NAN)).allows(Scalar::F32(f32::NAN)));
        let least = apply(Prim::Min, &[Approx::exact(Scalar::F64(f64::INFINITY)), third], way, &mut doubt);
        let sum = apply(Prim::Add, &[least, third], way, &mut doubt);
        assert!(sum.allows(Scalar::F64(2.0 / 3.0 + 1e-16)) && !sum.allows(Scalar::F64(0.667)));
        assert_eq!(doubt, None);
        apply(Prim::Eq, &[sum, Approx::exact(Scalar::F64(2.0 / 3.0))], way, &mut doubt);
        assert_eq!(doubt, Some(Doubt::Rounded));
    }
}
