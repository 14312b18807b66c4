//! The value at the end of a line, read by its element type.

use super::scan::TextCursor;
use crate::element::Element;
use openwork_algebra::{Complex, DType};

/// Why a value cannot be read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unread {
    /// It is no number of this kind.
    Malformed,
    /// It is a number, but beyond the range of the type.
    TooLarge,
}

/// An element type that lines of text can end in. Narrower integers and bool are read through a wider one; see
/// [`carrier`].
pub(super) trait FieldElement: Element {
    /// What a value is called in messages.
    const NAME: &'static str;
    /// Reads one value at the cursor; a value that cannot be read is still next.
    fn read(c: &mut TextCursor) -> Result<Self, Unread>;
}

/// The type through which values of a dtype are read: it holds all of them, and more.
pub(super) fn carrier(dtype: DType) -> DType {
    match dtype {
        DType::Bool | DType::I8 | DType::I16 | DType::I32 | DType::I64 => DType::I64,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => DType::U64,
        // Reading a wider float and rounding it again could be off by one in the last place.
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => dtype,
    }
}

macro_rules! int_field {
    ($($t:ty),*) => {$(
        impl FieldElement for $t {
            const NAME: &'static str = "a whole number";
            #[inline(always)]
            fn read(c: &mut TextCursor) -> Result<Self, Unread> {
                let at = c.position();
                let number = match c.take_signed() {
                    Some(number) if c.at_gap() => number,
                    _ => {
                        c.seek(at);
                        whole_number(c)?
                    }
                };
                <$t>::try_from(number).map_err(|_| {
                    c.seek(at);
                    Unread::TooLarge
                })
            }
        }
    )*};
}
int_field!(i64, u64);

/// A whole number in the spelling of a real one, such as `1.0` or `2e3`, as some programs write all numbers.
#[cold]
fn whole_number(c: &mut TextCursor) -> Result<i128, Unread> {
    let token = c.token();
    let unsigned = token.strip_prefix(b"-").unwrap_or(token);
    if !unsigned.is_empty() && unsigned.iter().all(u8::is_ascii_digit) {
        return Err(Unread::TooLarge);
    }
    // Digits with nothing but zeros behind the point are exact however many there are.
    let whole = std::str::from_utf8(token).ok().and_then(|text| text.split_once('.'));
    if let Some((number, _)) = whole.filter(|(_, rest)| rest.bytes().all(|b| b == b'0'))
        && let Ok(number) = number.parse()
    {
        c.seek(c.position() + token.len());
        return Ok(number);
    }
    // Beyond these, a real number does not tell which whole one was meant.
    const EXACT: f64 = (1u64 << 53) as f64;
    let at = c.position();
    match c.real() {
        Some(x) if c.at_gap() && x.fract() == 0.0 && x.abs() <= EXACT => Ok(x as i128),
        _ => {
            c.seek(at);
            Err(Unread::Malformed)
        }
    }
}

impl FieldElement for f64 {
    const NAME: &'static str = "a number";
    #[inline(always)]
    fn read(c: &mut TextCursor) -> Result<Self, Unread> {
        c.real().ok_or(Unread::Malformed)
    }
}
impl FieldElement for f32 {
    const NAME: &'static str = "a number";
    fn read(c: &mut TextCursor) -> Result<Self, Unread> {
        let token = c.token();
        let value = f64::read(c)?;
        // The standard spelling is parsed again, as an `f32`, so that it is rounded once.
        Ok(fast_float2::parse(token).unwrap_or(value as f32))
    }
}

macro_rules! complex_field {
    ($($t:ty),*) => {$(
        impl FieldElement for Complex<$t> {
            const NAME: &'static str = "a real and an imaginary part";
            #[inline(always)]
            fn read(c: &mut TextCursor) -> Result<Self, Unread> {
                let re = <$t>::read(c)?;
                c.spaces();
                Ok(Complex::new(re, <$t>::read(c)?))
            }
        }
    )*};
}
complex_field!(f32, f64);

/// An element type with mirror images.
pub(super) trait Mirror: Element {
    /// Minus the value; `None` when it has none.
    fn negate(self) -> Option<Self>;
    /// The complex conjugate.
    fn conjugate(self) -> Self {
        self
    }
}

macro_rules! mirror {
    ($($t:ty, $x:ident => $negated:expr;)*) => {$(
        impl Mirror for $t {
            fn negate(self) -> Option<Self> {
                let $x = self;
                $negated
            }
        }
    )*};
}
mirror! {
    bool, x => (!x).then_some(x);
    i8, x => x.checked_neg();
    i16, x => x.checked_neg();
    i32, x => x.checked_neg();
    i64, x => x.checked_neg();
    u8, x => x.checked_neg();
    u16, x => x.checked_neg();
    u32, x => x.checked_neg();
    u64, x => x.checked_neg();
    f32, x => Some(-x);
    f64, x => Some(-x);
}
macro_rules! mirror_complex {
    ($($t:ty),*) => {$(
        impl Mirror for Complex<$t> {
            fn negate(self) -> Option<Self> {
                Some(-self)
            }
            fn conjugate(self) -> Self {
                self.conj()
            }
        }
    )*};
}
mirror_complex!(f32, f64);
