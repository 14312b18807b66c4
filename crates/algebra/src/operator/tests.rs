//! What operators promise, on samples.

use super::*;

/// Sample values of a dtype; zero, one and the extremes are where properties live.
fn samples(dt: DType) -> Vec<Scalar> {
    let mut v: Vec<Scalar> = [0, 1, 2, 5, -3].iter().map(|&n| Scalar::from_i64(n, dt)).collect();
    v.extend(Scalar::lowest(dt));
    v.extend(Scalar::highest(dt));
    // Of complex numbers, one part may be NaN beside one that is not, and no product keeps them apart.
    if dt.kind() == DTypeKind::Float {
        v.push(Scalar::from_f64(f64::NAN, dt));
    }
    v
}

/// Whether an argument is what an annihilator beside it assumes.
fn is_assumed(op: &Operator, x: Scalar) -> bool {
    let x = x.as_f64();
    match op.assumes {
        None => true,
        Some(Assumes::Finite) => x.is_finite(),
        Some(Assumes::Divisor) => x != 0.0 && !x.is_nan(),
        Some(Assumes::Number) => !x.is_nan(),
        Some(Assumes::AboveLowest) => x > f64::NEG_INFINITY,
        Some(Assumes::BelowHighest) => x < f64::INFINITY,
    }
}

#[test]
fn declared_properties_hold_on_samples_of_every_dtype() {
    for op in OPERATORS.iter().filter(|op| op.arity() == 2) {
        for dt in DType::ALL.into_iter().filter(|&dt| op.prim.result(dt).is_some()) {
            let f = |x, y| op.eval(&[x, y]).unwrap();
            for x in samples(dt) {
                if op.idempotent {
                    assert_eq!(f(x, x), x, "{} {dt} idempotent", op.name);
                }
                for n in 0..2 {
                    let put = |v| if n == 0 { f(v, x) } else { f(x, v) };
                    if let Some(id) = op.identity_at(n, dt) {
                        assert_eq!(put(id), x, "{} {dt} identity {n} {x}", op.name);
                    }
                    if let Some(a) = op.annihilator_at(n, dt).filter(|_| is_assumed(op, x)) {
                        assert_eq!(put(a), a, "{} {dt} annihilator {n} {x}", op.name);
                    }
                }
                for y in samples(dt) {
                    if op.commutative {
                        assert_eq!(f(x, y), f(y, x), "{} {dt} commutes", op.name);
                    }
                }
            }
        }
    }
}

#[test]
fn variants_are_the_same_function_on_numbers() {
    for op in OPERATORS.iter().filter(|op| op.variant_of.is_some()) {
        let of = op.variant_of.and_then(Operator::of_language).unwrap();
        for x in samples(DType::F64).into_iter().filter(|x| x.as_f64().is_finite()) {
            for y in samples(DType::F64).into_iter().filter(|y| y.as_f64().is_finite()) {
                assert_eq!(op.eval(&[x, y]), of.eval(&[x, y]), "{} of {x} and {y}", op.name);
            }
        }
    }
    let mul = Operator::find("mul").unwrap();
    assert_eq!(mul.in_arithmetic(Arithmetic::Exact, DType::I64).name, "mul");
    assert_eq!(mul.in_arithmetic(Arithmetic::Exact, DType::F32).without_assumptions().name, "mul_ieee");
    assert_eq!(mul.guard_variant().name, "times");
    assert_eq!(mul.without_assumptions().name, "mul");
}

#[test]
fn only_monoids_reduce() {
    let names = |dt| Operator::language().filter(|o| o.reduces(dt)).map(|o| o.name).collect::<Vec<_>>();
    assert_eq!(
        names(DType::F64),
        ["add", "mul", "min", "max", "choose", "logaddexp", "logaddexp2", "fmin", "fmax"]
    );
    assert_eq!(
        names(DType::U8),
        ["add", "mul", "min", "max", "and", "or", "xor", "choose", "fmin", "fmax", "gcd"]
    );
    assert_eq!(names(DType::Bool), ["add", "mul", "min", "max", "and", "or", "xor", "choose"]);
    assert_eq!(names(DType::C64), ["add", "mul", "choose"]);
}
