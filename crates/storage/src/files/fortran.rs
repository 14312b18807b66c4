//! Fixed fields on the lines of a file, as Fortran's edit descriptors lay them out: `(10I8)`, `(1P,3E25.16)`.

use super::fault::TextFault;
use super::text::PAD;
use crate::error::{INCOMPLETE, MALFORMED};
use openwork_base::cancel::tick;

/// What fields hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FieldKind {
    Whole,
    Real,
}

/// The fields of a line.
#[derive(Debug, PartialEq)]
pub(super) struct Fields {
    pub(super) kind: FieldKind,
    /// How many stand on a line.
    pub(super) per_line: usize,
    /// How many characters each has.
    pub(super) width: usize,
    /// Digits that a number without a point has behind it.
    decimals: usize,
    /// The power of ten by which a number without an exponent is divided.
    scale: i32,
}

impl Fields {
    /// Reads a descriptor; nothing for one that is none, or has other fields than numbers side by side.
    pub(super) fn parse(text: &str) -> Option<Fields> {
        let text: String =
            text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_uppercase();
        let mut rest = text.strip_prefix('(')?.strip_suffix(')')?;
        let mut scale = 0;
        // `1P` may stand before the number of fields, with or without a comma.
        if let Some((number, after)) = rest.split_once('P')
            && let Ok(n) = number.parse()
        {
            (scale, rest) = (n, after.strip_prefix(',').unwrap_or(after));
        }
        let letter = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let per_line = if letter == 0 { 1 } else { rest[..letter].parse().ok()? };
        let kind = match &rest[letter..=letter] {
            "I" => FieldKind::Whole,
            "E" | "D" | "F" | "G" => FieldKind::Real,
            _ => return None,
        };
        let (width, decimals) = match rest[letter + 1..].split_once('.') {
            // The digits of an exponent only matter to who writes.
            Some((width, digits)) => (width, digits.split('E').next()?.parse().ok()?),
            None => (&rest[letter + 1..], 0),
        };
        let width = width.parse().ok()?;
        let fields = Fields { kind, per_line, width, decimals, scale };
        (per_line > 0 && (1..=256).contains(&width) && per_line <= 4096).then_some(fields)
    }
    /// Whether a number reads as other digits in Fortran than it has: one without a point, or an exponent, where the
    /// descriptor says where that would be.
    pub(super) fn is_shifted(&self, token: &[u8]) -> bool {
        let exponent = token.iter().skip(1).any(|b| b"eEdD+-".contains(b));
        let number = token.iter().any(|b| (b'1'..=b'9').contains(b)) && !token.contains(&b'n');
        let pointless = self.decimals > 0 && !token.contains(&b'.') && !exponent;
        number && self.kind == FieldKind::Real && (pointless || self.scale != 0 && !exponent)
    }
}

/// The lines of a file that are read one after the other.
pub(super) struct Deck<'a> {
    pub(super) bytes: &'a [u8],
    /// Where the next line begins.
    pub(super) at: usize,
}

impl<'a> Deck<'a> {
    /// The next line without its end, and where it begins.
    pub(super) fn line(&mut self, what: &str) -> Result<(usize, &'a [u8]), TextFault> {
        let start = self.at;
        if start >= self.bytes.len() {
            let message = format!("the file ends where {what} should be");
            return Err(TextFault::new(INCOMPLETE, self.bytes.len(), 0, message));
        }
        let rest = &self.bytes[start..];
        let len = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at = start + len + 1;
        Ok((start, rest[..len].strip_suffix(b"\r").unwrap_or(&rest[..len])))
    }
    /// Calls `each` with every one of `count` fields: where it stands, and its characters followed by line ends, so that
    /// numbers are read as in any text. A line that is not cut between numbers by its columns, but has as many numbers as it
    /// should, is cut at its blanks: SciPy writes fields that are narrower than its header says.
    pub(super) fn fields(
        &mut self,
        fields: &Fields,
        count: usize,
        what: &str,
        mut each: impl FnMut(usize, &[u8], usize) -> Result<(), TextFault>,
    ) -> Result<(), TextFault> {
        let mut scratch = Vec::new();
        let mut found = Vec::new();
        let mut seen = 0;
        while seen < count {
            let (start, line) = self.line(what)?;
            let most = fields.per_line.min(count - seen);
            if let Err((from, len)) = cut_by_columns(line, fields.width, most, &mut found)
                && !cut_at_blanks(line, fields.width, most, &mut found)
            {
                let message = format!("no number in the columns of {what}");
                let fault = TextFault::new(MALFORMED, start + from, len, message);
                return Err(fault.help("the format in the header says which columns numbers stand in"));
            }
            for &(from, len) in &found {
                tick();
                scratch.clear();
                scratch.extend_from_slice(&line[from..from + len]);
                scratch.resize(len + PAD, b'\n');
                each(start + from, &scratch, len)?;
                seen += 1;
            }
        }
        Ok(())
    }
}

/// Where the fields of a line are that columns of this width are, without the blanks around them, or the first that is none.
fn cut_by_columns(
    line: &[u8],
    width: usize,
    most: usize,
    found: &mut Vec<(usize, usize)>,
) -> Result<(), (usize, usize)> {
    found.clear();
    for from in (0..most).map(|n| n * width) {
        let Some(rest) = line.get(from..).filter(|r| !r.iter().all(u8::is_ascii_whitespace)) else {
            break;
        };
        let field = &rest[..rest.len().min(width)];
        let blank = field.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let token = field.trim_ascii();
        let place = (from + blank % field.len(), token.len());
        if token.is_empty() || token.iter().any(u8::is_ascii_whitespace) {
            return Err(place);
        }
        found.push(place);
    }
    Ok(())
}

/// Where the words of a line are; whether it has as many as it should, none of them wider than a field.
fn cut_at_blanks(line: &[u8], width: usize, most: usize, found: &mut Vec<(usize, usize)>) -> bool {
    found.clear();
    let words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    found.extend(words.map(|w| (w.as_ptr() as usize - line.as_ptr() as usize, w.len())));
    found.len() == most && found.iter().all(|&(_, len)| len <= width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_of_numbers_side_by_side() {
        let fields =
            |kind, per_line, width, decimals, scale| Fields { kind, per_line, width, decimals, scale };
        for (text, want) in [
            ("(10I8)", fields(FieldKind::Whole, 10, 8, 0, 0)),
            ("( 3E25.16)", fields(FieldKind::Real, 3, 25, 16, 0)),
            ("(1P,4D20.12)", fields(FieldKind::Real, 4, 20, 12, 1)),
            ("(1p3e26.18e3)", fields(FieldKind::Real, 3, 26, 18, 1)),
            ("(F8.0)", fields(FieldKind::Real, 1, 8, 0, 0)),
            ("(2G9.3)", fields(FieldKind::Real, 2, 9, 3, 0)),
        ] {
            assert_eq!(Fields::parse(text), Some(want), "{text}");
        }
        for text in [
            "",
            "()",
            "10I8",
            "(10A8)",
            "(0I8)",
            "(8I0)",
            "(3I)",
            "(2(1X,I4))",
            "(3I8,2I4)",
            "(é)",
            "(99999I9)",
        ] {
            assert_eq!(Fields::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_that_fortran_reads_otherwise() {
        let (plain, scaled) = (Fields::parse("(8F8.2)").unwrap(), Fields::parse("(1P,5E12.4)").unwrap());
        for (token, shifted) in
            [("125", true), ("1.25", false), ("125e1", false), ("0", false), ("1+5", false), ("-125", true)]
        {
            assert_eq!(plain.is_shifted(token.as_bytes()), shifted, "{token}");
        }
        assert!(scaled.is_shifted(b"1.5") && !scaled.is_shifted(b"1.5E0") && !scaled.is_shifted(b"0.0"));
    }

    #[test]
    fn lines_are_cut_by_columns_or_at_blanks() {
        let fields = Fields::parse("(3E8.2)").unwrap();
        let read = |text: &str| {
            let mut all = Vec::new();
            let mut deck = Deck { bytes: text.as_bytes(), at: 0 };
            let done = deck.fields(&fields, 3, "values", |at, token, len| {
                all.push((at, String::from_utf8(token[..len].to_vec()).unwrap()));
                Ok(())
            });
            done.map(|()| all).map_err(|fault| fault.message)
        };
        let places = |all: [(usize, &str); 3]| Ok(all.map(|(at, text)| (at, text.to_string())).to_vec());
        assert_eq!(
            read("1.00E+00-2.0E+00 3.0E+00"),
            places([(0, "1.00E+00"), (8, "-2.0E+00"), (17, "3.0E+00")])
        );
        // Narrower than the header says, as SciPy writes them.
        assert_eq!(read(" 1.E+00 2.E+00 -3.E+00"), places([(1, "1.E+00"), (8, "2.E+00"), (15, "-3.E+00")]));
        for text in [" 1.E+00 2.E+00 -3.E+00 4", "1.00E+00        3.00E+00"] {
            assert_eq!(read(text), Err("no number in the columns of values".to_string()), "{text}");
        }
    }
}
