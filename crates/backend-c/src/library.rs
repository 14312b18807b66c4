//! Functions of the mathematical library in C: the C library's own where it has them, else what `Library::eval` computes.

use crate::spell::c_type;
use crate::unit::CPrinter;
use openwork_algebra::library::Domain;
use openwork_algebra::{DType, DTypeKind, Library};

impl CPrinter<'_> {
    /// The C function for a function of real numbers of dtype `elem`.
    pub(crate) fn library(&mut self, f: Library, elem: DType) -> String {
        let suffix = if elem == DType::F32 { "f" } else { "" };
        let own = elem.is_float().then(|| f.c_name()).filter(|name| !name.is_empty());
        if let Some(name) = own {
            return format!("__builtin_{name}{suffix}");
        }
        let name = format!("{}_{elem}", f.name());
        let t = c_type(elem);
        let result = if f.domain() == Domain::Test { "bool" } else { t };
        let body = match elem.is_float() {
            true => float_body(f, t, suffix),
            false => integer_body(f, elem),
        };
        let params = if f.arity() == 1 { format!("{t} a") } else { format!("{t} a, {t} b") };
        self.helper(&name, || format!("static inline {result} {name}({params})\n{{\n{body}}}\n"));
        name
    }
}

/// What a function of complex numbers gives, and its body; `t` is their type, `r` that of their parts.
pub(crate) fn complex_body(f: Library, t: &'static str, r: &'static str) -> (&'static str, String) {
    let own = f.complex_c_name();
    let part = |text: &str| (r, text.to_string());
    let test = |text: &str| ("bool", text.to_string());
    match f {
        Library::Real => return part("return a.re;"),
        Library::Imag => return part("(void)a;\n    return a.im;"),
        Library::Angle if r == "float" => return part("return __builtin_atan2f(a.im, a.re);"),
        Library::Angle => return part("return __builtin_atan2(a.im, a.re);"),
        Library::Isnan => return test("return a.re != a.re || a.im != a.im;"),
        Library::Isinf => return test("return __builtin_isinf(a.re) || __builtin_isinf(a.im);"),
        Library::Isfinite => return test("return __builtin_isfinite(a.re) && __builtin_isfinite(a.im);"),
        _ => {}
    }
    let (re, im) = match f {
        Library::Exp2 => ("__builtin_cexp(z * 0x1.62e42fefa39efp-1)", ""),
        Library::Expm1 => (
            "__builtin_expm1(a.re) * __builtin_cos(a.im) - 2 * half * half",
            "__builtin_exp(a.re) * __builtin_sin(a.im)",
        ),
        Library::Log2 => ("__builtin_clog(z) * 0x1.71547652b82fep+0", ""),
        Library::Log10 => ("__builtin_clog(z) * 0x1.bcb7b1526e50ep-2", ""),
        Library::Log1p => (
            "__builtin_log(__builtin_hypot((double)a.re + 1, a.im))",
            "__builtin_atan2(a.im, (double)a.re + 1)",
        ),
        Library::Rint => ("__builtin_rint(a.re)", "__builtin_rint(a.im)"),
        Library::Sign => (
            "!ends ? size == 0 ? 0 : a.re / size : ends > 1 ? __builtin_nan(\"\") : a.re / size != a.re / size ? __builtin_copysign(1, a.re) : 0",
            "!ends ? size == 0 ? 0 : a.im / size : ends > 1 ? __builtin_nan(\"\") : a.im / size != a.im / size ? __builtin_copysign(1, a.im) : 0",
        ),
        Library::Conj => ("a.re", "-a.im"),
        Library::Power => return (t, power_body(t)),
        _ => (own, ""),
    };
    let before = match f {
        Library::Expm1 => "const double half = __builtin_sin(a.im / 2.0);\n    ",
        Library::Sign => {
            "const double size = __builtin_hypot(a.re, a.im);\n    \
             const int ends = (a.re == a.re && a.im == a.im) * (!!__builtin_isinf(a.re) + !!__builtin_isinf(a.im));\n    "
        }
        _ if im.is_empty() => {
            "const double _Complex z = __builtin_complex((double)a.re, (double)a.im);\n    "
        }
        _ => "",
    };
    if !im.is_empty() {
        return (t, format!("{before}return ({t}){{({r})({re}), ({r})({im})}};"));
    }
    let value = if own.is_empty() { re.to_string() } else { format!("__builtin_{own}(z)") };
    let text =
        format!("const double _Complex w = {value};\n    return ({t}){{({r})__real__ w, ({r})__imag__ w}};");
    (t, format!("{before}{text}"))
}

fn power_body(t: &str) -> String {
    let lines = [
        "if ((b.re == 0 && b.im == 0) || (a.re == 1 && a.im == 0))",
        "    return (T){1, 0};",
        "if (a.re == 0 && a.im == 0)",
        "    return b.re > 0 ? a : (T){__builtin_nan(\"\"), __builtin_nan(\"\")};",
        "double x = a.re, y = a.im, re, im;",
        "if (b.im == 0 && __builtin_trunc(b.re) == b.re && b.re >= 0 && b.re < 100) {",
        "    int n = (int)b.re;",
        "    for (; !(n & 1); n >>= 1, re = x * x - y * y, y = x * y + y * x, x = re)",
        "        ;",
        "    re = x, im = y;",
        "    for (n >>= 1; n > 0; n >>= 1) {",
        "        const double square = x * x - y * y;",
        "        y = x * y + y * x, x = square;",
        "        if (n & 1) {",
        "            const double next = re * x - im * y;",
        "            im = re * y + im * x, re = next;",
        "        }",
        "    }",
        "} else {",
        "    const double _Complex w =",
        "        __builtin_cpow(__builtin_complex(x, y), __builtin_complex((double)b.re, (double)b.im));",
        "    re = __real__ w, im = __imag__ w;",
        "}",
        "return (T){re, im};",
    ];
    lines.map(|line| line.replace("(T)", &format!("({t})"))).join("\n    ")
}

/// The body of a function of floats: `e` is the suffix of the C library's functions.
fn float_body(f: Library, t: &str, e: &str) -> String {
    let lines: &[&str] = match f {
        Library::Logaddexp => &[
            "if (a == b)",
            "    return a + (T)0x1.62e42fefa39efp-1;",
            "if (a > b)",
            "    return a + __builtin_log1pE(__builtin_expE(b - a));",
            "if (a < b)",
            "    return b + __builtin_log1pE(__builtin_expE(a - b));",
            "return __builtin_nanE(\"\");",
        ],
        Library::Logaddexp2 => &[
            "if (a == b)",
            "    return a + 1;",
            "if (a > b)",
            "    return a + __builtin_log1pE(__builtin_exp2E(b - a)) * (T)0x1.71547652b82fep+0;",
            "if (a < b)",
            "    return b + __builtin_log1pE(__builtin_exp2E(a - b)) * (T)0x1.71547652b82fep+0;",
            "return __builtin_nanE(\"\");",
        ],
        Library::Heaviside => &["return a < 0 ? 0 : a > 0 ? 1 : a == 0 ? b : a;"],
        Library::Ldexp => &[
            "const T limit = sizeof(T) == 4 ? 127 : 1023;",
            "if (a == 0)",
            "    return a;",
            "if (b != b)",
            "    return b;",
            "T out = a;",
            "for (int n = 0; n < 3; n++) {",
            "    const T step = __builtin_truncE(b < -limit ? -limit : b > limit ? limit : b);",
            "    out *= __builtin_exp2E(step);",
            "    b -= step;",
            "}",
            "return out;",
        ],
        Library::Real | Library::Conj => &["return a;"],
        Library::Imag => &["(void)a;", "return 0;"],
        Library::Angle => &["return __builtin_atan2E(0, a);"],
        Library::Sign => &["return a > 0 ? 1 : a < 0 ? -1 : a != a ? a : 0;"],
        Library::FloorDivide => &[
            "if (b == 0)",
            "    return a / b;",
            "const T left = __builtin_fmodE(a, b);",
            "T quotient = (a - left) / b;",
            "if (left != 0 && (b < 0) != (left < 0))",
            "    quotient -= 1;",
            "if (quotient == 0)",
            "    return __builtin_copysignE(0, a / b);",
            "const T floor = __builtin_floorE(quotient);",
            "return quotient - floor > (T)0.5 ? floor + 1 : floor;",
        ],
        Library::Remainder => &[
            "const T left = __builtin_fmodE(a, b);",
            "if (left == 0)",
            "    return __builtin_copysignE(0, b);",
            "return (b < 0) != (left < 0) ? left + b : left;",
        ],
        Library::Fmin => &["return a != a || b < a ? b : a;"],
        Library::Fmax => &["return a != a || b > a ? b : a;"],
        Library::Isnan => &["return a != a;"],
        Library::Isinf => &["return __builtin_fabsE(a) == __builtin_infE();"],
        Library::Isfinite => &["return __builtin_fabsE(a) < __builtin_infE();"],
        Library::Signbit => &["return __builtin_signbit(a) != 0;"],
        _ => &["return a;"],
    };
    expand_words(lines, &[("T", t), ("E", e)])
}

/// The body of a function of integers: `U` is the unsigned type of the width, `W` that width.
fn integer_body(f: Library, elem: DType) -> String {
    let signed = elem.kind() == DTypeKind::Signed;
    match f {
        Library::Gcd | Library::Lcm => return divisor_body(f, elem),
        Library::Power => return integer_power_body(elem),
        _ => {}
    }
    let lines: &[&str] = match f {
        Library::Floor | Library::Ceil | Library::Trunc | Library::Real | Library::Conj => &["return a;"],
        Library::Imag => &["(void)a;", "return 0;"],
        Library::Sign if !signed => &["return a > 0;"],
        Library::Sign => &["return (a > 0) - (a < 0);"],
        Library::FloorDivide if !signed => &["return b ? a / b : 0;"],
        Library::Remainder | Library::Fmod if !signed => &["return b ? a % b : 0;"],
        Library::FloorDivide => &[
            "if (b == 0 || (T)(b + 1) == 0)",
            "    return b == 0 ? 0 : (T)(0 - (U)a);",
            "return a / b - (a % b != 0 && (a % b < 0) != (b < 0));",
        ],
        Library::Remainder => &[
            "if (b == 0 || (T)(b + 1) == 0)",
            "    return 0;",
            "return a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0);",
        ],
        Library::Fmod => &["return b == 0 || (T)(b + 1) == 0 ? 0 : a % b;"],
        Library::Fmin => &["return a < b ? a : b;"],
        Library::Fmax => &["return a > b ? a : b;"],
        Library::LeftShift => &["return (U)b < W ? (T)((U)a << b) : 0;"],
        Library::RightShift if !signed => &["return b < W ? a >> b : 0;"],
        Library::RightShift => &["return (U)b < W ? a >> b : a < 0 ? -1 : 0;"],
        Library::Signbit if signed => &["return a < 0;"],
        Library::Isfinite => &["(void)a;", "return 1;"],
        Library::Signbit | Library::Isnan | Library::Isinf => &["(void)a;", "return 0;"],
        _ => &["return a;"],
    };
    let bits = 8 * elem.size();
    let (unsigned, width) = (format!("uint{bits}_t"), bits.to_string());
    expand_words(lines, &[("T", c_type(elem)), ("U", &unsigned), ("W", &width)])
}

/// The body of a power: of a number without sign, no exponent is negative.
fn integer_power_body(elem: DType) -> String {
    let negative: &[&str] = match elem.kind() {
        DTypeKind::Signed => {
            &["if (b < 0)", "    return a == 1 ? 1 : (T)(a + 1) == 0 ? (b & 1 ? a : 1) : 0;"]
        }
        DTypeKind::Bool | DTypeKind::Unsigned | DTypeKind::Float | DTypeKind::Complex => &[],
    };
    let raised: &[&str] = &[
        "uint64_t x = a, y = b, out = 1;",
        "for (; y; y >>= 1, x *= x)",
        "    if (y & 1)",
        "        out *= x;",
        "return (T)out;",
    ];
    expand_words(&[negative, raised].concat(), &[("T", c_type(elem))])
}

/// The body of the greatest common divisor and of the least common multiple.
fn divisor_body(f: Library, elem: DType) -> String {
    let magnitudes = match elem.kind() {
        DTypeKind::Signed => {
            "uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;"
        }
        DTypeKind::Bool | DTypeKind::Unsigned | DTypeKind::Float | DTypeKind::Complex => {
            "uint64_t x = a, y = b;"
        }
    };
    let euclid = ["while (y) {", "    const uint64_t rest = x % y;", "    x = y;", "    y = rest;", "}"];
    let (first, last): (&[&str], &str) = match f {
        Library::Lcm => {
            (&[magnitudes, "const uint64_t p = x, q = y;"], "return (T)(p && q ? p / x * q : 0);")
        }
        _ => (&[magnitudes], "return (T)x;"),
    };
    expand_words(&[first, &euclid, &[last]].concat(), &[("T", c_type(elem))])
}

/// The lines, indented, with words of one capital letter replaced; `E` ends a word.
fn expand_words(lines: &[&str], words: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for line in lines {
        out.push_str("    ");
        let letters: Vec<char> = line.chars().collect();
        for (n, &c) in letters.iter().enumerate() {
            let word = |c: Option<&char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_');
            let starts = n == 0 || !word(letters.get(n - 1));
            let ends = !word(letters.get(n + 1));
            let known = words.iter().find(|(w, _)| w.chars().eq([c]) && ends && (starts || *w == "E"));
            match known {
                Some((_, text)) => out.push_str(text),
                None => out.push(c),
            }
        }
        out.push('\n');
    }
    out
}
