//! Random expressions, as text with its dtype and free variables.

use super::own;
use super::source::TestRandom;
use openwork_algebra::{DType, DTypeKind, Operator};

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct RandomTerm {
    pub(super) text: String,
    pub(super) dtype: DType,
    /// How tightly the outermost operator binds, as in the grammar; 9 for atoms.
    pub(super) binds: usize,
    pub(super) free: Vec<String>,
}

/// Which operators a case may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operators {
    /// All of them.
    All,
    /// Sums, minima and maxima, which are defined at infinity.
    Tropical,
}

impl RandomTerm {
    pub(super) fn at_least(&self, level: usize) -> String {
        if self.binds < level { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// The binary operators that may be tried in a dtype, with weights: sign or name, and how it binds.
fn binary_operators(dtype: DType, operators: Operators) -> Vec<(usize, (&'static str, usize))> {
    let mut out = vec![(30, ("+", 4))];
    if dtype.kind() < DTypeKind::Complex {
        out.extend([
            (12, ("min", 9)),
            (12, ("max", 9)),
            (3, ("<", 0)),
            (2, (">=", 0)),
            (2, (">", 0)),
            (2, ("<=", 0)),
        ]);
    }
    if dtype.kind() == DTypeKind::Float {
        out.extend([(1, ("max_plus", 9)), (1, ("min_first", 9)), (1, ("max_second", 9))]);
    }
    if operators == Operators::Tropical {
        return out;
    }
    if dtype.kind() == DTypeKind::Float {
        out.extend([
            (1, ("plus_min", 9)),
            (1, ("plus_first", 9)),
            (1, ("times_plus", 9)),
            (1, ("max_rminus", 9)),
        ]);
        out.push((1, ("any_first", 9)));
    }
    out.extend([(1, ("choose", 9)), (45, ("*", 5)), (3, ("==", 0)), (5, ("!=", 0))]);
    if dtype.kind() > DTypeKind::Bool {
        out.extend([(14, ("-", 4)), (6, ("/", 5))]);
    }
    if dtype.kind() < DTypeKind::Float {
        out.extend([(12, ("&", 3)), (12, ("|", 1)), (12, ("^", 2))]);
        out.extend(INTEGERS.map(|name| (2, (name, 9))));
        if dtype.is_int() {
            out.extend(["bor_bxor", "bxor_second"].map(|name| (1, (name, 9))));
        }
    }
    if dtype.kind() < DTypeKind::Complex {
        out.extend([(3, ("fmin", 9)), (3, ("fmax", 9)), (3, ("hypot", 9)), (3, ("power", 9))]);
        out.push((3, ("logaddexp2", 9)));
    }
    out.push((8, (OWN, 9)));
    out
}

/// Products over semirings that ask which elements their factors store, or where.
fn at_places(dtype: DType) -> Vec<&'static str> {
    match dtype.kind() {
        DTypeKind::Bool => {
            vec!["land_first", "land_pair", "lxnor_land", "eq_second", "land_lxor", "lor_first"]
        }
        DTypeKind::Unsigned | DTypeKind::Signed => {
            vec!["band_bor", "bxnor_bxor", "band_first", "bxnor_bxnor", "plus_firsti", "band_pair"]
        }
        DTypeKind::Float => {
            vec!["min_secondi1", "plus_firstj", "min_secondj", "plus_lxor", "times_lor", "max_hypot"]
        }
        DTypeKind::Complex => Vec::new(),
    }
}

/// Whether it is an access to an operand alone.
fn is_access(t: &RandomTerm) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '(' | ')' | ',');
    let text = &t.text;
    text.starts_with(char::is_uppercase) && text.chars().all(inside) && text.matches('(').count() <= 1
}

/// Stands for a function that the statement defines.
const OWN: &str = "own";

/// How often reductions are drawn whose values have to come in order.
const ORDERED: usize = 3;

/// Functions of two integers.
const INTEGERS: [&str; 7] = ["gcd", "lcm", "left_shift", "right_shift", "floor_divide", "remainder", "fmod"];

/// The dtype of a function of numbers, where truth values are numbers too, or of floats.
fn of_function(name: &str, meet: DType) -> DType {
    if meet == DType::Bool && matches!(name, "fmin" | "fmax") {
        return meet;
    }
    match Operator::find(name).and_then(|op| op.types(&[meet])) {
        Some((_, dtype)) => dtype,
        None => meet,
    }
}

/// `a op b` for a random operator that is defined there.
pub(super) fn combine(r: &mut TestRandom, a: RandomTerm, b: RandomTerm, operators: Operators) -> RandomTerm {
    let meet = a.dtype.promote(b.dtype);
    let accesses = is_access(&a) && is_access(&b) && operators == Operators::All;
    let at_places = if accesses && r.chance(6) { at_places(meet) } else { Vec::new() };
    let (sign, level) = match r.pick_weighted(&binary_operators(meet, operators)) {
        _ if !at_places.is_empty() => (r.pick(&at_places), 9),
        (OWN, level) => (own::function(r, meet).name, level),
        other => other,
    };
    let b = if sign == "/" && r.chance(50) { nonzero(b) } else { b };
    let text = match (level, sign) {
        (9, name) => format!("{name}({}, {})", a.text, b.text),
        (0, sign) => format!("{} {sign} {}", a.at_least(1), b.at_least(1)),
        (level, sign) => format!("{} {sign} {}", a.at_least(level), b.at_least(level + 1)),
    };
    let dtype = match sign {
        "/" => meet.true_divide(),
        _ if level == 0 => DType::Bool,
        name if name.starts_with("plus_first") => DType::I64,
        name if name.starts_with("min_second") => DType::F64,
        name if level == 9 => of_function(name, meet),
        _ => meet,
    };
    let mut free = a.free;
    free.extend(b.free.into_iter().filter(|v| !free.contains(v)).collect::<Vec<_>>());
    RandomTerm { text, dtype, binds: level, free }
}

/// A denominator that is never zero for finite arguments.
fn nonzero(b: RandomTerm) -> RandomTerm {
    let text = format!("(abs({}) + 0.5)", b.text);
    let dtype = if b.dtype.kind() < DTypeKind::Float { DType::F64 } else { b.dtype.real() };
    RandomTerm { text, dtype, binds: 9, ..b }
}

/// Perhaps an operator of one argument, a literal or an index value around `t`.
pub(super) fn decorate(
    r: &mut TestRandom,
    t: RandomTerm,
    counters: &[String],
    operators: Operators,
) -> RandomTerm {
    match r.number_below(100) {
        0..6 if t.dtype != DType::Bool => RandomTerm { text: format!("-{}", t.at_least(6)), binds: 6, ..t },
        6..11 => RandomTerm { text: format!("abs({})", t.text), dtype: t.dtype.real(), binds: 9, ..t },
        11..16 if t.dtype.kind() < DTypeKind::Float => {
            RandomTerm { text: format!("!{}", t.at_least(6)), binds: 6, ..t }
        }
        16..20 => {
            let to = r.pick(&[DType::F64, DType::F64, DType::F32, DType::I64, DType::I32, DType::C128]);
            RandomTerm { text: format!("{to}({})", t.text), dtype: to, binds: 9, ..t }
        }
        20..24 if t.dtype != DType::Bool && t.dtype.kind() < DTypeKind::Complex => {
            let literal = if t.dtype.is_int() && r.chance(25) { edge(r) } else { literal(r, &t) };
            let sign = r.pick(&["<", ">", "<=", ">=", "!=", "=="]);
            let text = format!("{} {sign} {}", t.at_least(1), literal.at_least(1));
            RandomTerm { text, dtype: DType::Bool, binds: 0, ..t }
        }
        20..32 => {
            let literal = literal(r, &t);
            let (a, b) = if r.chance(50) { (t, literal) } else { (literal, t) };
            combine(r, a, b, operators)
        }
        36..39 if t.dtype.kind() < DTypeKind::Complex && operators == Operators::All => {
            let name = r.pick(&[
                "sqrt", "exp", "arctan", "isnan", "isfinite", "expm1", "trunc", "sign", "tanh", "real",
                "imag", "angle",
            ]);
            RandomTerm {
                text: format!("{name}({})", t.text),
                dtype: of_function(name, t.dtype),
                binds: 9,
                ..t
            }
        }
        36..39 if operators == Operators::All => {
            let name =
                r.pick(&["real", "imag", "conj", "angle", "exp", "sqrt", "sin", "log", "isnan", "rint"]);
            RandomTerm {
                text: format!("{name}({})", t.text),
                dtype: of_function(name, t.dtype),
                binds: 9,
                ..t
            }
        }
        39..42 => {
            let other = literal(r, &t);
            let condition = format!("{} != {}", t.at_least(1), literal(r, &t).at_least(1));
            let dtype = t.dtype.promote(other.dtype);
            let (a, b) = if r.chance(50) { (&t, &other) } else { (&other, &t) };
            RandomTerm { text: format!("where({condition}, {}, {})", a.text, b.text), dtype, binds: 9, ..t }
        }
        42..45 if t.dtype.is_int() => {
            let (low, high) = r.pick(&[("-1", "7"), ("0", "300"), ("2", "4"), ("-3", "-1"), ("-40000", "3")]);
            RandomTerm { text: format!("clip({}, {low}, {high})", t.text), binds: 9, ..t }
        }
        32..36 if !counters.is_empty() => {
            let v = r.pick(counters);
            let counter = RandomTerm { text: v.clone(), dtype: DType::I64, binds: 9, free: vec![v] };
            combine(r, t, counter, operators)
        }
        45..55 if !counters.is_empty() && operators == Operators::All => limit(r, t, counters),
        _ => t,
    }
}

/// A term where comparisons of index variables hold: as a factor, or in a choice.
fn limit(r: &mut TestRandom, t: RandomTerm, counters: &[String]) -> RandomTerm {
    let mut condition = compare_indices(r, counters);
    if r.chance(30) {
        let other = compare_indices(r, counters);
        let sign = r.pick(&["&", "&", "&", "|"]);
        let text = format!("({}) {sign} ({})", condition.text, other.text);
        condition = RandomTerm { text, free: [condition.free, other.free].concat(), ..condition };
    }
    let not = r.pick(&["", "", "", "", "!"]);
    let condition = RandomTerm { text: format!("{not}({})", condition.text), ..condition };
    let mut free = t.free.clone();
    for v in condition.free {
        if !free.contains(&v) {
            free.push(v);
        }
    }
    if r.chance(50) {
        let text = format!("{} * {}", t.at_least(5), condition.text);
        return RandomTerm { text, binds: 5, free, ..t };
    }
    let other = if r.chance(70) { "0".into() } else { literal(r, &t).text };
    let (a, b) = if r.chance(80) { (t.text.clone(), other) } else { (other, t.text.clone()) };
    RandomTerm { text: format!("where({}, {a}, {b})", condition.text), free, binds: 9, ..t }
}

/// A comparison of index variables, or of one with a number.
fn compare_indices(r: &mut TestRandom, counters: &[String]) -> RandomTerm {
    let v = r.pick(counters);
    let mut free = vec![v.clone()];
    let number = r.pick(&["0", "1", "2", "3", "(-1)", "9223372036854775807", "(-9223372036854775808)"]);
    let other = match r.number_below(10) {
        0..4 => number.to_string(),
        _ => {
            let u = r.pick(counters);
            if u != v {
                free.push(u.clone());
            }
            match r.number_below(8) {
                0 => format!("({u} + {number})"),
                1 => format!("({u} - 1)"),
                2 => format!("(2 * {u})"),
                _ => u,
            }
        }
    };
    let shifted = match r.number_below(10) {
        0 => format!("({v} + 1)"),
        1 => format!("(1 - {v})"),
        _ => v,
    };
    let sign = r.pick(&["<", "<=", ">", ">=", "==", "==", "!="]);
    let text = match r.chance(70) {
        true => format!("{shifted} {sign} {other}"),
        false => format!("{other} {sign} {shifted}"),
    };
    RandomTerm { text, dtype: DType::Bool, binds: 0, free }
}

/// A literal that usually keeps the dtype of its neighbour.
fn literal(r: &mut TestRandom, beside: &RandomTerm) -> RandomTerm {
    let (text, dtype) = match beside.dtype.kind() {
        DTypeKind::Bool => r.pick(&[("true", DType::Bool), ("false", DType::Bool), ("2", DType::I64)]),
        DTypeKind::Unsigned | DTypeKind::Signed => {
            let mut all = vec![
                (6, ("2", beside.dtype)),
                (6, ("1", beside.dtype)),
                (4, ("0", beside.dtype)),
                (2, ("0.5", DType::F64)),
                (1, ("inf", DType::F64)),
            ];
            if beside.dtype.kind() == DTypeKind::Unsigned {
                // No such number is one of the dtype.
                all.push((1, ("(-1)", beside.dtype)));
            }
            if beside.dtype.kind() == DTypeKind::Signed {
                // It decides `|`, and leaves `&` alone.
                all.push((3, ("(-1)", beside.dtype)));
            }
            r.pick_weighted(&all)
        }
        DTypeKind::Float if r.chance(15) => {
            r.pick(&[("inf", beside.dtype), ("(-inf)", beside.dtype), ("nan", beside.dtype)])
        }
        DTypeKind::Float | DTypeKind::Complex => r.pick_weighted(&[
            (4, ("2", beside.dtype)),
            (4, ("1", beside.dtype)),
            (4, ("0.5", beside.dtype)),
            (4, ("0", beside.dtype)),
            (1, ("1e1", beside.dtype)),
        ]),
    };
    RandomTerm { text: text.into(), dtype, binds: 9, free: Vec::new() }
}

/// An integer that few dtypes hold.
fn edge(r: &mut TestRandom) -> RandomTerm {
    let all = [
        "-1",
        "300",
        "4294967296",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "18446744073709551615",
    ];
    RandomTerm { text: r.pick(&all).into(), dtype: DType::I64, binds: 6, free: Vec::new() }
}

/// A reduction by name over some of the free variables of `t` that are not in `lefts`.
pub(super) fn reduce(
    r: &mut TestRandom,
    t: RandomTerm,
    lefts: &[String],
    operators: Operators,
) -> RandomTerm {
    let mut vars: Vec<String> = t.free.iter().filter(|v| !lefts.contains(v)).cloned().collect();
    if r.chance(4) {
        vars = t.free.clone();
    }
    // Trees: one variable after the other, as most formats store them, in one nest of loops.
    let tree = r.chance(35);
    if tree {
        vars.reverse();
    } else {
        r.shuffle(&mut vars);
    }
    vars.truncate(if tree || r.chance(70) { 1 } else { 2 });
    if vars.is_empty() {
        return t;
    }
    let mut names = vec![(6, "sum")];
    if t.dtype.kind() < DTypeKind::Complex {
        names.extend([(5, "min"), (5, "max")]);
    }
    if operators == Operators::All {
        names.extend([(3, "prod"), (ORDERED, "choose")]);
        if vars.len() == 1 && t.dtype.kind() < DTypeKind::Complex {
            names.extend([(ORDERED, "argmin"), (ORDERED, "argmax")]);
        }
        if t.dtype.is_float() || t.dtype.is_int() {
            names.extend([(1, "fmin"), (1, "fmax")]);
        }
        if t.dtype.kind() == DTypeKind::Float {
            names.extend([(2, "logaddexp"), (2, "logaddexp2")]);
        }
        if t.dtype.kind() == DTypeKind::Unsigned {
            names.push((3, "gcd"));
        }
        if t.dtype.kind() < DTypeKind::Float {
            names.extend([(4, "any"), (4, "all"), (2, "xor")]);
        }
    }
    let own = if operators == Operators::All && r.chance(5) { own::reduction(r, t.dtype) } else { None };
    let once = reduce_term(own.unwrap_or_else(|| r.pick_weighted(&names)), vars, t);
    let more = once.free.iter().any(|v| !lefts.contains(v));
    // Reductions of reductions, with constants between them.
    match more && r.chance(if tree { 80 } else { 40 }) {
        true if once.dtype != DType::Bool && r.chance(30) => {
            let sign = r.pick(&["2 *", "1 +", "-1 *"]);
            let text = format!("{sign}({})", once.text);
            reduce(r, RandomTerm { text, binds: 6, ..once }, lefts, operators)
        }
        true => reduce(r, once, lefts, operators),
        false => once,
    }
}
/// A reduction by name.
pub(super) fn reduce_term(name: &str, vars: Vec<String>, t: RandomTerm) -> RandomTerm {
    let free = t.free.iter().filter(|v| !vars.contains(v)).cloned().collect();
    // Sums of truth values count.
    let counts = t.dtype == DType::Bool && matches!(name, "sum" | "prod");
    let places = matches!(name, "argmin" | "argmax");
    let t = if counts || places { RandomTerm { dtype: DType::I64, ..t } } else { t };
    RandomTerm { text: format!("{name}({}, {})", vars.join(", "), t.text), binds: 9, free, ..t }
}
