//! Random formats and contents of operands.

use super::source::Random;
use openwork_algebra::{Complex, DType, Scalar};

/// Which values a case may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// Finite numbers.
    Finite,
    /// Fill values may be infinite.
    Tropical,
}

/// What a format is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is read.
    Operand,
    /// It is assembled.
    Result,
}

/// Format text for `rank` modes, without fill.
pub(super) fn format(r: &mut Random, rank: usize, role: Role) -> String {
    if rank == 0 || r.chance(20) {
        return "dense".into();
    }
    let mut letters = String::new();
    while letters.len() < rank {
        let left = rank - letters.len();
        match r.below(100) {
            0..35 => letters.push('d'),
            35..75 => letters.push('s'),
            _ if left == 1 => letters.push(if r.chance(80) { 's' } else { 'u' }),
            _ => {
                let chain = if r.chance(60) { left } else { 2 + r.below(left - 1) };
                letters.push('u');
                letters.extend(std::iter::repeat_n('c', chain - 2));
                letters.push(if r.chance(85) { 'q' } else { 'c' });
            }
        }
    }
    let mut modes: Vec<usize> = (0..rank).collect();
    if r.chance(35) {
        r.shuffle(&mut modes);
    }
    let mut text =
        if role == Role::Operand && r.chance(3) { spelled_out(r, &letters, &modes) } else { letters };
    if !text.starts_with('(') && modes.windows(2).any(|w| w[0] > w[1]) {
        let order: Vec<String> = modes.iter().map(usize::to_string).collect();
        text = format!("{text}:{}", order.join(","));
    }
    if r.chance(30) {
        let width = |r: &mut Random| r.weighted(&[(4, "i32"), (3, "i64"), (2, "u32"), (1, "u16"), (1, "u8")]);
        text = format!("{text}; pos = {}; crd = {}", width(r), width(r));
    }
    text
}

/// The full form, with levels that letters cannot spell.
fn spelled_out(r: &mut Random, letters: &str, modes: &[usize]) -> String {
    let names = ["i", "j", "k", "l", "m", "n"];
    let level = |c: char, odd: bool| match c {
        'd' => "dense",
        's' if odd => "compressed(unordered)",
        's' => "compressed",
        'u' => "compressed(nonunique)",
        'c' => "singleton(nonunique)",
        _ => "singleton",
    };
    let levels: Vec<&str> = letters.chars().map(|c| level(c, r.chance(30))).collect();
    let to: Vec<&str> = modes.iter().map(|&m| names[m]).collect();
    format!("({}) -> ({}) : {}", names[..modes.len()].join(","), to.join(","), levels.join(", "))
}

/// A fill value as text, where it is not zero.
pub(super) fn fill(r: &mut Random, dtype: DType, values: Values) -> Option<&'static str> {
    if values == Values::Tropical && dtype.is_float() {
        return r.pick(&[Some("inf"), Some("inf"), Some("-inf"), None]);
    }
    if r.chance(80) {
        return None;
    }
    let choices: &[&'static str] = match dtype {
        DType::Bool => &["true"],
        d if d.is_complex() => &["1+0j", "2+1j"],
        d if d.is_float() => &["1", "5", "-0.5"],
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => &["1", "5", "-1"],
        _ => &["1", "5"],
    };
    Some(r.pick(choices))
}

/// A value; small, so that float arithmetic on a few of them is exact.
pub(super) fn value(r: &mut Random, dtype: DType) -> Scalar {
    let half = |r: &mut Random| (r.below(17) as f64 - 8.0) / 2.0;
    match dtype {
        DType::Bool => Scalar::Bool(r.chance(60)),
        d if d.is_complex() => Scalar::C128(Complex::new(half(r), half(r))).cast(d),
        d if d.is_float() => Scalar::from_f64(half(r), d),
        d if r.chance(4) => Scalar::from_i64(r.bits() as i64, d),
        d if d.kind() == openwork_algebra::Kind::Unsigned => Scalar::from_i64(r.below(7) as i64, d),
        d => Scalar::from_i64(r.below(9) as i64 - 4, d),
    }
}

/// What a tensor stores: any density, empty slices, explicit fill values and duplicates.
pub(super) fn entries(
    r: &mut Random,
    dtype: DType,
    shape: &[usize],
    fill: Scalar,
) -> Vec<(Vec<usize>, Scalar)> {
    let len: usize = shape.iter().product();
    let percent = match r.below(100) {
        0..8 => 0,
        8..20 => 100,
        _ => r.below(90) + 5,
    };
    let mut out = Vec::new();
    for flat in 0..len {
        if !r.chance(percent) {
            continue;
        }
        let mut rest = flat;
        let mut at: Vec<usize> = shape.iter().rev().map(|d| (rest % d, rest /= d).0).collect();
        at.reverse();
        let stored = if r.chance(6) { fill } else { value(r, dtype) };
        out.push((at, stored));
    }
    if !shape.is_empty() && len > 0 && r.chance(30) {
        let mode = r.below(shape.len());
        let slice = r.below(shape[mode]);
        out.retain(|(at, _)| at[mode] != slice);
    }
    if r.chance(12) && !out.is_empty() {
        for _ in 0..1 + r.below(4) {
            let at = out[r.below(out.len())].0.clone();
            let twice = value(r, dtype);
            out.push((at, twice));
        }
    }
    if r.chance(25) {
        r.shuffle(&mut out);
    }
    out
}
