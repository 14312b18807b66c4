//! How the value at the end of a line is read, by element type.

use super::scan::Cursor;
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
pub(super) trait Field: Element {
    /// What a value is called in messages.
    const NAME: &'static str;
    /// Reads one value at the cursor; a value that cannot be read is still next.
    fn read(c: &mut Cursor) -> Result<Self, Unread>;
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
        impl Field for $t {
            const NAME: &'static str = "a whole number";
            #[inline(always)]
            fn read(c: &mut Cursor) -> Result<Self, Unread> {
                let at = c.at();
                let number = match c.signed() {
                    Some(number) => number,
                    None => return Err(long_number(c)),
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

/// A token of digits that was not read is too long for any integer.
#[cold]
fn long_number(c: &Cursor) -> Unread {
    let token = c.token();
    let digits = token.strip_prefix(b"-").unwrap_or(token);
    if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        Unread::TooLarge
    } else {
        Unread::Malformed
    }
}

impl Field for f64 {
    const NAME: &'static str = "a number";
    #[inline(always)]
    fn read(c: &mut Cursor) -> Result<Self, Unread> {
        c.real().ok_or(Unread::Malformed)
    }
}
impl Field for f32 {
    const NAME: &'static str = "a number";
    fn read(c: &mut Cursor) -> Result<Self, Unread> {
        let token = c.token();
        let value = f64::read(c)?;
        // The standard spelling is parsed again, as an `f32`, so that it is rounded once.
        Ok(fast_float2::parse(token).unwrap_or(value as f32))
    }
}

macro_rules! complex_field {
    ($($t:ty),*) => {$(
        impl Field for Complex<$t> {
            const NAME: &'static str = "a real and an imaginary part";
            #[inline(always)]
            fn read(c: &mut Cursor) -> Result<Self, Unread> {
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
    fn negated(self) -> Option<Self>;
    /// The complex conjugate.
    fn conjugate(self) -> Self {
        self
    }
}

macro_rules! mirror {
    ($($t:ty, $x:ident => $negated:expr;)*) => {$(
        impl Mirror for $t {
            fn negated(self) -> Option<Self> {
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
            fn negated(self) -> Option<Self> {
                Some(-self)
            }
            fn conjugate(self) -> Self {
                self.conj()
            }
        }
    )*};
}
mirror_complex!(f32, f64);
