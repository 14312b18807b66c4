//! Functions that random statements define.

use super::source::TestRandom;
use openwork_algebra::{DType, DTypeKind};

/// A function of two arguments and its definition.
pub(super) struct Own {
    pub(super) name: &'static str,
    definition: &'static str,
    /// The dtypes for which its value is one of theirs.
    kinds: &'static [DTypeKind],
}

const fn own(name: &'static str, definition: &'static str, kinds: &'static [DTypeKind]) -> Own {
    Own { name, definition, kinds }
}

const ALL: &[DTypeKind] =
    &[DTypeKind::Bool, DTypeKind::Unsigned, DTypeKind::Signed, DTypeKind::Float, DTypeKind::Complex];
const ORDERED: &[DTypeKind] = &[DTypeKind::Bool, DTypeKind::Unsigned, DTypeKind::Signed, DTypeKind::Float];
const NUMBERS: &[DTypeKind] = &[DTypeKind::Unsigned, DTypeKind::Signed, DTypeKind::Float];
const INTEGERS: &[DTypeKind] = &[DTypeKind::Unsigned, DTypeKind::Signed];
const SIGNED: &[DTypeKind] = &[DTypeKind::Signed, DTypeKind::Float];

/// They end for all arguments, and are what they promise for all, NaN and infinities included.
const FUNCTIONS: &[Own] = &[
    own("own_blend", "def own_blend(x, y) = x * y + x", ALL),
    own("own_both", "def own_both(x, y): {x != 0} & {y != 0} = x * y", ALL),
    own("own_pick", "def own_pick(x, y) = where(x > y, x, y + y)", ORDERED),
    own("own_max", "def own_max(x, y): idempotent { if x > y { x } else { y } }", ORDERED),
    own("own_only", "def own_only(x, y): {x != 0} & !{y != 0} { x, 0 => x; _, _ => 0 }", NUMBERS),
    own("own_not", "def own_not(x, y): !{x != 0} & {y != 0} = where(x == 0, y, 0)", NUMBERS),
    own(
        "own_xor",
        "def own_xor(x, y): ({x != 0} | {y != 0}) & !({x != 0} & {y != 0}) { 0, y => y; x, 0 => x; x, y => 0 }",
        NUMBERS,
    ),
    own(
        "own_one",
        "def own_one(x, y): {x != 0} & !{y != 0} -> f64 = where((x != 0) & (y == 0), 3, 1)",
        &[DTypeKind::Float],
    ),
    own("own_two", "def own_two(x, y): {x != 2} & {y != 2} = where((x == 2) | (y == 2), 2, x + y)", NUMBERS),
    own("own_zero", "def own_zero(x, y): annihilator(0, x) { if y > 5 { x } else { x * y } }", NUMBERS),
    own("own_far", "def own_far(x, y): commutative = abs(x - y)", SIGNED),
    own("own_some", "def own_some(x, y): {x != 0} | {y != 0} = x + y", NUMBERS),
    own("own_held", "def own_held(x, y): {x != 0} = where(x != 0, x + y, 0)", NUMBERS),
    own(
        "own_loop",
        "def own_loop(x, y) { let t = x; let n = 0; while n < 3 { t = t + y; if t > x { t = t - x; } n = n + 1; } t }",
        NUMBERS,
    ),
    own("own_nest", "def own_in(x) = x + x; def own_nest(x, y) = own_in(x) - y * own_in(own_in(y))", SIGNED),
    own(
        "own_lets",
        "def own_lets(x, y) { let s = x + y; let t = s * s; if t > 3 { t } else { let u = t + s; u * 2 } }",
        NUMBERS,
    ),
];

/// Functions that reduce.
const REDUCING: &[Own] = &[
    own("own_sum", "def own_sum(x, y): commutative, associative, identity(0, x) = x + y", NUMBERS),
    own(
        "own_bits",
        "def own_bits(x, y): associative, identity(0, y), idempotent, commutative = x | y",
        INTEGERS,
    ),
    own(
        "own_all",
        "def own_all(x, y): commutative, associative, identity(1), annihilator(0) = x * y",
        INTEGERS,
    ),
    own(
        "own_last",
        "def own_last(x, y): associative, idempotent, identity(0) = where(y != 0, y, x)",
        NUMBERS,
    ),
    own(
        "own_low",
        "def own_low(x, y): associative, identity(0) = where(y % 4 != 0, x - x % 4 + y, x + y - y % 4)",
        &[DTypeKind::Unsigned],
    ),
];

/// A function that reduces values of `dtype`, if there is one.
pub(super) fn reduction(r: &mut TestRandom, dtype: DType) -> Option<&'static str> {
    let fits: Vec<&str> =
        REDUCING.iter().filter(|f| f.kinds.contains(&dtype.kind())).map(|f| f.name).collect();
    (!fits.is_empty()).then(|| r.pick(&fits))
}

/// A function for arguments that meet in `dtype`.
pub(super) fn function(r: &mut TestRandom, dtype: DType) -> &'static Own {
    let fits: Vec<usize> = (0..FUNCTIONS.len())
        .filter(|&n| {
            let wide = FUNCTIONS[n].name != "own_one" || dtype == DType::F64;
            wide && FUNCTIONS[n].kinds.contains(&dtype.kind())
        })
        .collect();
    &FUNCTIONS[r.pick(&fits)]
}

/// A statement with the definitions that it needs before it.
pub(super) fn add_definitions(text: String) -> String {
    let called = |f: &&Own| text.contains(&format!("{}(", f.name));
    let definitions: String =
        FUNCTIONS.iter().chain(REDUCING).filter(called).map(|f| format!("{}; ", f.definition)).collect();
    format!("{definitions}{text}")
}
