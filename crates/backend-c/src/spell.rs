//! How things are spelled in C: names, types, literals, precedence.

use openwork_algebra::{DType, Scalar};
use openwork_loops::Ty;
use std::collections::HashSet;

/// How tightly a piece of text binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Prec {
    Choice,
    AndAlso,
    Or,
    Xor,
    And,
    Equality,
    Order,
    Sum,
    Product,
    Unary,
    Atom,
}

/// An expression in C.
#[derive(Clone, Debug)]
pub(crate) struct ExprText {
    pub(crate) text: String,
    pub(crate) prec: Prec,
    pub(crate) ty: Ty,
}

impl ExprText {
    /// Something that never needs parentheses.
    pub(crate) fn atom(text: impl Into<String>, ty: Ty) -> ExprText {
        ExprText { text: text.into(), prec: Prec::Atom, ty }
    }
    /// The text as an operand that must bind at least as tightly as `least`.
    pub(crate) fn as_operand(&self, least: Prec) -> String {
        if self.prec >= least { self.text.clone() } else { format!("({})", self.text) }
    }
}

impl Prec {
    /// The next tighter level.
    pub(crate) fn tighter(self) -> Prec {
        match self {
            Prec::Choice => Prec::AndAlso,
            Prec::AndAlso => Prec::Or,
            Prec::Or => Prec::Xor,
            Prec::Xor => Prec::And,
            Prec::And => Prec::Equality,
            Prec::Equality => Prec::Order,
            Prec::Order => Prec::Sum,
            Prec::Sum => Prec::Product,
            Prec::Product => Prec::Unary,
            Prec::Unary | Prec::Atom => Prec::Atom,
        }
    }
}

/// The C type of a scalar.
pub(crate) fn c_type(elem: DType) -> &'static str {
    match elem {
        DType::Bool => "bool",
        DType::I8 => "int8_t",
        DType::I16 => "int16_t",
        DType::I32 => "int32_t",
        DType::I64 => "int64_t",
        DType::U8 => "uint8_t",
        DType::U16 => "uint16_t",
        DType::U32 => "uint32_t",
        DType::U64 => "uint64_t",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::C64 => "c64",
        DType::C128 => "c128",
    }
}

/// Whether C computes with this dtype as `int` and so needs to be told to wrap.
pub(crate) fn is_narrow(elem: DType) -> bool {
    elem.is_int() && elem.size() < 4
}

/// The signed integer dtype of a number of bytes: the lane of a mask.
pub(crate) fn mask_lane(bytes: usize) -> DType {
    match bytes {
        1 => DType::I8,
        2 => DType::I16,
        4 => DType::I32,
        _ => DType::I64,
    }
}

fn float(text: String, suffix: &str, finite: f64) -> String {
    if finite.is_nan() {
        format!("__builtin_nan{suffix}(\"\")")
    } else if finite.is_infinite() {
        format!("{}__builtin_inf{suffix}()", if finite < 0.0 { "-" } else { "" })
    } else {
        format!("{text}{suffix}")
    }
}

/// A literal that reads back as exactly this value.
pub(crate) fn literal(s: Scalar) -> ExprText {
    let f32_text = |x: f32| float(format!("{x:?}"), "f", f64::from(x));
    let f64_text = |x: f64| float(format!("{x:?}"), "", x);
    let text = match s {
        Scalar::Bool(x) => x.to_string(),
        Scalar::I8(x) => x.to_string(),
        Scalar::I16(x) => x.to_string(),
        Scalar::I32(i32::MIN) => "INT32_MIN".into(),
        Scalar::I32(x) => x.to_string(),
        Scalar::I64(i64::MIN) => "INT64_MIN".into(),
        Scalar::I64(i64::MAX) => "INT64_MAX".into(),
        Scalar::I64(x) => x.to_string(),
        Scalar::U8(x) => x.to_string(),
        Scalar::U16(x) => x.to_string(),
        Scalar::U32(x) => format!("{x}u"),
        Scalar::U64(x) => format!("{x}ull"),
        Scalar::F32(x) => f32_text(x),
        Scalar::F64(x) => f64_text(x),
        Scalar::C64(z) => format!("(c64){{{}, {}}}", f32_text(z.re), f32_text(z.im)),
        Scalar::C128(z) => format!("(c128){{{}, {}}}", f64_text(z.re), f64_text(z.im)),
    };
    let prec = if text.starts_with('-') { Prec::Unary } else { Prec::Atom };
    ExprText { text, prec, ty: Ty::scalar(s.dtype()) }
}

/// Words that mean something to C, its headers or our own text.
const WORDS: &str = "auto break case char const continue default do double else enum extern float for goto if inline \
    int long register restrict return short signed sizeof static struct switch typedef union \
    unsigned void volatile while asm typeof bool true false linux unix call status unlikely main c64 \
    c128 intptr_t uintptr_t NULL i386 hypot";
/// How the names of our helpers start.
const STARTS: &str = "min_ max_ abs_ quot_ rem_ shl_ shr_ ctz_ popcount_ load_ store_ splat_ select_ fold_ c64_ \
    c128_ openwork_ to_";

/// Whether C, its headers or our own text use this name.
pub(crate) fn is_word(name: &str) -> bool {
    !matches!(why_taken(name), ReservedName::Free)
}

/// What C or our own helpers already use.
enum ReservedName {
    Free,
    /// Exactly this name, or names with this end.
    Whole,
    /// Names that start like this.
    Start,
}

fn why_taken(name: &str) -> ReservedName {
    let is_vector = || {
        let (head, lanes) = name.split_once('x').unwrap_or(("", ""));
        head.starts_with(['i', 'u', 'f'])
            && head[1..].parse::<u8>().is_ok()
            && lanes.starts_with(char::is_numeric)
    };
    if STARTS.split(' ').any(|s| name.starts_with(s)) || is_vector() {
        ReservedName::Start
    } else if WORDS.split(' ').any(|w| w == name) || name.ends_with("_t") {
        ReservedName::Whole
    } else {
        ReservedName::Free
    }
}

/// Hands out C names that nobody else has.
#[derive(Default)]
pub(crate) struct CNames(HashSet<String>);

impl CNames {
    /// A name as close to `wanted` as C and the names already given allow.
    pub(crate) fn give(&mut self, wanted: &str) -> String {
        let mut name: String =
            wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
            name.insert(0, 'v');
        }
        loop {
            match why_taken(&name) {
                ReservedName::Start => name.insert_str(0, "v_"),
                ReservedName::Whole => name.push('_'),
                ReservedName::Free if self.0.contains(&name) => name.push('_'),
                ReservedName::Free => break,
            }
        }
        self.0.insert(name.clone());
        name
    }
}
