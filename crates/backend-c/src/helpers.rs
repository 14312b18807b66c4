//! The C functions that expressions may need; only those in use are printed.

use crate::library::complex_body;
use crate::spell::c_type;
use crate::unit::CPrinter;
use openwork_algebra::{DType, DTypeKind, Prim};

impl CPrinter<'_> {
    /// Defines a complex type; nothing for other dtypes.
    pub(crate) fn complex(&mut self, elem: DType) {
        if elem.is_complex() {
            let (name, part) = (c_type(elem), c_type(elem.real()));
            self.helper(name, || format!("typedef struct {{\n    {part} re, im;\n}} {name};\n"));
        }
    }
    /// The product of two floats plus a third one. Compilers say whether the machine rounds it once at no cost.
    pub(crate) fn fused_helper(&mut self, elem: DType) -> String {
        let (name, t) = (format!("fused_{elem}"), c_type(elem));
        let (fma, fast) =
            if elem == DType::F32 { ("fmaf", "__FP_FAST_FMAF") } else { ("fma", "__FP_FAST_FMA") };
        self.helper(&name, || {
            format!(
                "static inline {t} {name}({t} x, {t} y, {t} z)\n{{\n#if defined({fast}) || defined(__FMA__)\n    \
                 return __builtin_{fma}(x, y, z);\n#else\n    return x * y + z;\n#endif\n}}\n"
            )
        });
        name
    }
    /// A function of real numbers that C has no operator for.
    pub(crate) fn numeric_helper(&mut self, prim: Prim, elem: DType) -> String {
        let (name, t) = (format!("{}_{elem}", prim.name()), c_type(elem));
        let nan = if elem.is_float() { " || a != a" } else { "" };
        let body = match prim {
            Prim::Min => format!("({t} a, {t} b)\n{{\n    return a < b{nan} ? a : b;\n}}\n"),
            Prim::Max => format!("({t} a, {t} b)\n{{\n    return a > b{nan} ? a : b;\n}}\n"),
            Prim::Times => format!("({t} a, {t} b)\n{{\n    return a == 0 || b == 0 ? 0 : a * b;\n}}\n"),
            Prim::Least | Prim::Most => {
                let (sign, order) = if prim == Prim::Least { ("-", "<") } else { ("", ">") };
                let end = format!("{sign}__builtin_inf()");
                format!(
                    "({t} a, {t} b)\n{{\n    if (a == {end} || b == {end})\n        return {end};\n    \
                     return a {order} b || a != a ? a : b;\n}}\n"
                )
            }
            Prim::Abs if elem.is_int() => {
                let u = format!("uint{}_t", 8 * elem.size());
                format!("({t} a)\n{{\n    return a < 0 ? ({t})(0 - ({u})a) : a;\n}}\n")
            }
            Prim::Abs => format!("({t} a)\n{{\n    return a < 0 ? -a : a;\n}}\n"),
            Prim::Add | Prim::Sub | Prim::Mul | Prim::Fused | Prim::Div => String::new(),
            Prim::Neg | Prim::Not | Prim::Select => String::new(),
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => String::new(),
            Prim::And | Prim::Or | Prim::Xor => String::new(),
            Prim::Library(_) | Prim::Choose | Prim::Defined(_) => String::new(),
            Prim::Quot | Prim::Rem | Prim::Shl | Prim::Shr | Prim::Ctz | Prim::Popcount => {
                integer_body(prim, elem)
            }
        };
        self.helper(&name, || format!("static inline {t} {name}{body}"));
        name
    }
    /// The conversion of a float to an integer dtype: it saturates, and NaN gives 0.
    pub(crate) fn saturating_helper(&mut self, to: DType) -> String {
        let (name, t) = (format!("to_{to}"), c_type(to));
        let bits = 8 * to.size() as i32;
        let limit = t.trim_end_matches("_t").to_uppercase();
        let (low, high) = match to.kind() {
            DTypeKind::Signed => (format!("{limit}_MIN"), bits - 1),
            DTypeKind::Unsigned | DTypeKind::Bool | DTypeKind::Float | DTypeKind::Complex => {
                ("0".to_string(), bits)
            }
        };
        self.helper(&name, || {
            let below = if to.kind() == DTypeKind::Signed { format!("-0x1p{high}") } else { "0".to_string() };
            format!(
                "static inline {t} {name}(double x)\n{{\n    if (x != x)\n        return 0;\n    \
                 if (x <= {below})\n        return {low};\n    \
                 if (x >= 0x1p{high})\n        return {limit}_MAX;\n    return ({t})x;\n}}\n"
            )
        });
        name
    }
    /// A primitive on complex numbers, part by part as `Prim::eval` does it.
    pub(crate) fn complex_helper(&mut self, prim: Prim, elem: DType) -> String {
        self.complex(elem);
        let (t, r) = (c_type(elem), c_type(elem.real()));
        let name = format!("{t}_{}", prim.name());
        let hypot = if elem == DType::C64 { "__builtin_hypotf" } else { "__builtin_hypot" };
        let make = |body: &str| (t, format!("return ({t}){{{body}}};"));
        let (result, body) = match prim {
            Prim::Add => make("a.re + b.re, a.im + b.im"),
            Prim::Sub => make("a.re - b.re, a.im - b.im"),
            Prim::Mul => make("a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re"),
            Prim::Times => make("a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re"),
            Prim::Div => (
                t,
                complex_quotient(t, r, if elem == DType::C64 { "__builtin_fabsf" } else { "__builtin_fabs" }),
            ),
            Prim::Neg => make("-a.re, -a.im"),
            Prim::Abs => (r, format!("return {hypot}(a.re, a.im);")),
            Prim::Library(f) => complex_body(f, t, r),
            Prim::Eq => ("bool", "return a.re == b.re && a.im == b.im;".to_string()),
            Prim::Ne => ("bool", "return a.re != b.re || a.im != b.im;".to_string()),
            Prim::Min | Prim::Max | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => (t, String::new()),
            Prim::Fused | Prim::Least | Prim::Most => (t, String::new()),
            Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => (t, String::new()),
            Prim::Quot
            | Prim::Rem
            | Prim::Shl
            | Prim::Shr
            | Prim::Ctz
            | Prim::Popcount
            | Prim::Choose
            | Prim::Defined(_) => (t, String::new()),
        };
        let zero = |z: &str| format!("({z}.re == 0 && {z}.im == 0)");
        let body = match prim {
            Prim::Times => {
                format!("if ({} || {})\n        return ({t}){{0, 0}};\n    {body}", zero("a"), zero("b"))
            }
            _ => body,
        };
        let params = if prim.arity() == 1 { format!("{t} a") } else { format!("{t} a, {t} b") };
        self.helper(&name, || format!("static inline {result} {name}({params})\n{{\n    {body}\n}}\n"));
        name
    }
    /// The conversion of a complex number.
    pub(crate) fn complex_cast(&mut self, from: DType, to: DType) -> String {
        self.complex(from);
        self.complex(to);
        let (f, t, name) = (c_type(from), c_type(to), format!("{}_to_{to}", c_type(from)));
        let body = match to.kind() {
            DTypeKind::Bool => "z.re != 0 || z.im != 0".to_string(),
            DTypeKind::Signed | DTypeKind::Unsigned => format!("{}(z.re)", self.saturating_helper(to)),
            DTypeKind::Float => "z.re".to_string(),
            DTypeKind::Complex => format!("({t}){{z.re, z.im}}"),
        };
        self.helper(&name, || format!("static inline {t} {name}({f} z)\n{{\n    return {body};\n}}\n"));
        name
    }
}

/// A quotient by way of the larger part of the divisor, as `Prim::eval` takes it.
fn complex_quotient(t: &str, r: &str, abs: &str) -> String {
    format!(
        "if (b.re == 0 && b.im == 0)\n        return ({t}){{a.re / {abs}(b.re), a.im / {abs}(b.re)}};\n    \
         if ({abs}(b.re) >= {abs}(b.im)) {{\n        const {r} ratio = b.im / b.re, norm = b.re + b.im * ratio;\n        \
         return ({t}){{(a.re + a.im * ratio) / norm, (a.im - a.re * ratio) / norm}};\n    }}\n    \
         const {r} ratio = b.re / b.im, norm = b.re * ratio + b.im;\n    \
         return ({t}){{(a.re * ratio + a.im) / norm, (a.im * ratio - a.re) / norm}};"
    )
}

/// Parameters and body of a function of integers that never traps.
fn integer_body(prim: Prim, elem: DType) -> String {
    let (t, bits) = (c_type(elem), 8 * elem.size());
    let (u, last, long) = (format!("uint{bits}_t"), bits - 1, if bits == 64 { "ll" } else { "" });
    // Euclid's rounding is that of the complement of a negative dividend.
    let signed = elem.kind() == DTypeKind::Signed;
    let parts = || {
        format!(
            "const {t} sign = a < 0 ? -1 : 0;\n    const {u} size = b < 0 ? -({u})b : ({u})b;\n    \
             if (!size)\n        return 0;\n    "
        )
    };
    let body = match prim {
        Prim::Quot if signed => {
            let divide = format!("const {t} q = ({t})(({u})(a ^ sign) / size) ^ sign;");
            format!("{}{divide}\n    return b < 0 ? ({t})(0 - ({u})q) : q;", parts())
        }
        Prim::Rem if signed => {
            let divide = format!("const {u} r = ({u})(a ^ sign) % size;");
            format!("{}{divide}\n    return ({t})((r ^ sign) + (size & sign));", parts())
        }
        Prim::Quot => "return b ? a / b : 0;".to_string(),
        Prim::Rem => "return b ? a % b : 0;".to_string(),
        Prim::Shl => format!("return ({u})a << (b & {last});"),
        Prim::Shr => format!("return a >> (b & {last});"),
        Prim::Ctz => format!("return a ? __builtin_ctz{long}(({u})a) : {bits};"),
        Prim::Popcount => format!("return __builtin_popcount{long}(({u})a);"),
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max | Prim::Neg => String::new(),
        Prim::Fused | Prim::Times | Prim::Least | Prim::Most => String::new(),
        Prim::Abs | Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => String::new(),
        Prim::Library(_) | Prim::Choose | Prim::Defined(_) => String::new(),
        Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => String::new(),
    };
    let params = if prim.arity() == 1 { format!("{t} a") } else { format!("{t} a, {t} b") };
    format!("({params})\n{{\n    {body}\n}}\n")
}
