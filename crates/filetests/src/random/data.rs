//! Random formats and contents of operands.

use super::source::TestRandom;
use crate::case::CaseOperand;
use openwork_algebra::{Complex, DType, Scalar};
use openwork_base::Source;
use openwork_format::Catalog;
use openwork_format::presets::{PRESETS, Preset};
use openwork_format::specs::{LOWER, UPPER};

/// Which values a case may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueSet {
    /// Finite numbers.
    Finite,
    /// Fill values may be infinite.
    Tropical,
    /// Infinities and NaN anywhere.
    Wild,
}

/// What a format is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormatRole {
    /// It is read.
    Operand,
    /// It is assembled.
    Result,
}

/// Format text for `rank` modes, without fill.
pub(super) fn format(r: &mut TestRandom, rank: usize, role: FormatRole) -> String {
    if rank == 0 || r.chance(15) {
        return "dense".into();
    }
    if r.chance(55) {
        let text = match r.number_below(10) {
            0..5 => preset(r, rank, role),
            5..7 => compose_levels(r, rank),
            _ => draw_remap(r, rank),
        };
        if parses(&text, rank) {
            return if r.chance(15) { add_widths(r, text) } else { text };
        }
    }
    let mut letters = String::new();
    while letters.len() < rank {
        let left = rank - letters.len();
        match r.number_below(100) {
            0..35 => letters.push('d'),
            35..75 => letters.push('s'),
            _ if left == 1 => letters.push(if r.chance(80) { 's' } else { 'u' }),
            _ => {
                let chain = if r.chance(60) { left } else { 2 + r.number_below(left - 1) };
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
        if role == FormatRole::Operand && r.chance(3) { spelled_out(r, &letters, &modes) } else { letters };
    if !text.starts_with('(') && modes.windows(2).any(|w| w[0] > w[1]) {
        let order: Vec<String> = modes.iter().map(usize::to_string).collect();
        text = format!("{text}:{}", order.join(","));
    }
    if r.chance(30) {
        text = add_widths(r, text);
    }
    text
}

/// Levels of which the last is walked in a way of its own: by runs, by words, slot by slot, element by element.
pub(super) fn special_levels(r: &mut TestRandom, rank: usize) -> String {
    let last = ["runs", "runs", "runs", "bitmap", "bitmap", "bitmap", "compressed", "compressed"];
    let rare = ["dense", "masked", "hashed", "compressed(nonunique)"];
    let mut levels: Vec<&str> =
        (1..rank).map(|_| if r.chance(70) { "dense" } else { "compressed" }).collect();
    levels.push(if r.chance(80) { r.pick(&last) } else { r.pick(&rare) });
    let modes = MODES[..rank].join(",");
    format!("({modes}) -> ({modes}) : {}", levels.join(", "))
}

/// With index arrays of any widths.
pub(super) fn add_widths(r: &mut TestRandom, text: String) -> String {
    let width =
        |r: &mut TestRandom| r.pick_weighted(&[(4, "i32"), (3, "i64"), (2, "u32"), (1, "u16"), (1, "u8")]);
    format!("{text}; pos = {}; crd = {}", width(r), width(r))
}
fn parses(text: &str, rank: usize) -> bool {
    Catalog::default().parse(&Source::new("format", text), rank).is_ok()
}

/// Any preset of the rank, perhaps with arguments, perhaps with its modes in another order. Triangles hold only what
/// fits them, so results are not asked for in them.
fn preset(r: &mut TestRandom, rank: usize, role: FormatRole) -> String {
    let triangle = |p: &Preset| p.name == "lower" || p.name == "upper";
    let fitting: Vec<&Preset> = PRESETS
        .iter()
        .filter(|p| p.rank.is_none_or(|only| only == rank) && (role == FormatRole::Operand || !triangle(p)))
        .collect();
    let p = r.pick(&fitting);
    let mut text = p.name.to_string();
    if !p.defaults.is_empty() {
        let args: Vec<String> = p.defaults.iter().map(|_| (1 + r.number_below(4)).to_string()).collect();
        text = format!("{text}({})", args.join(","));
    } else if r.chance(30) {
        let ordered = format!("{text}:{}", order(r, rank));
        if parses(&ordered, rank) {
            text = ordered;
        }
    }
    text
}
fn order(r: &mut TestRandom, rank: usize) -> String {
    let mut modes: Vec<usize> = (0..rank).collect();
    r.shuffle(&mut modes);
    modes.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// Levels for `depth` coordinates, any under any other.
fn levels(r: &mut TestRandom, depth: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    while out.len() < depth {
        let left = depth - out.len();
        let chains = [
            ("compressed(nonunique)", "singleton"),
            ("hashed(nonunique)", "singleton"),
            ("compressed_aos(nonunique)", "singleton_aos"),
            ("list(nonunique)", "singleton"),
        ];
        if left > 1 && r.chance(20) {
            let (first, next) = r.pick(&chains);
            out.push(first.into());
            let more = if r.chance(60) { left - 1 } else { 1 };
            out.extend((1..more).map(|_| format!("{next}(nonunique)")));
            out.push(next.into());
            continue;
        }
        let level = r.pick_weighted(&[
            (6, "dense"),
            (6, "compressed"),
            (1, "compressed(unordered)"),
            (1, "compressed_aos"),
            (3, "masked"),
            (3, "bitmap"),
            (3, "hashed"),
            (2, "list"),
            (2, "ragged"),
            (2, "skyline"),
            (2, "sliced"),
            (2, "squeezed"),
            (2, "banded"),
            (1, "runs"),
        ]);
        let fits = match level {
            "runs" => left == 1,
            "banded" => !out.is_empty(),
            _ => true,
        };
        if fits {
            out.push(level.into());
        }
    }
    out
}
const MODES: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// Modes in some order, under any levels.
fn compose_levels(r: &mut TestRandom, rank: usize) -> String {
    let mut to = MODES[..rank].to_vec();
    if r.chance(40) {
        r.shuffle(&mut to);
    }
    format!("({}) -> ({}) : {}", MODES[..rank].join(","), to.join(","), levels(r, rank).join(", "))
}

/// A term of the remapping notation.
fn term(r: &mut TestRandom, names: &[&str], depth: usize) -> String {
    if depth == 0 {
        return if r.chance(15) { r.number_below(4).to_string() } else { r.pick(names).to_string() };
    }
    let left = term(r, names, depth - 1);
    let (op, right) = match r.number_below(12) {
        0..3 => ("+", term(r, names, depth - 1)),
        3..6 => ("-", term(r, names, depth - 1)),
        6 => ("/", (1 + r.number_below(3)).to_string()),
        7 => ("%", (1 + r.number_below(3)).to_string()),
        8 => ("*", (1 + r.number_below(3)).to_string()),
        9 => ("^", term(r, names, depth - 1)),
        10 => ("&", term(r, names, depth - 1)),
        _ => ("|", term(r, names, depth - 1)),
    };
    format!("({left}){op}({right})")
}

/// Coordinates drawn from the grammar, under any levels; modes come in any order, and some follow from what is stored.
fn draw_coordinates(r: &mut TestRandom, rank: usize) -> String {
    let names = &MODES[..rank];
    let mut coords: Vec<String> = names.iter().map(|n| n.to_string()).collect();
    r.shuffle(&mut coords);
    for _ in 0..1 + r.number_below(2) {
        let depth = 1 + r.number_below(2);
        let computed = if r.chance(15) {
            let mut counted = names.to_vec();
            counted.truncate(r.number_below(rank + 1));
            format!("#{}", counted.join(" "))
        } else {
            term(r, names, depth)
        };
        coords.insert(r.number_below(coords.len() + 1), computed);
    }
    if r.chance(30) {
        let n = r.number_below(coords.len());
        coords.remove(n);
    }
    let mut all = levels(r, coords.len());
    for level in &mut all {
        if r.chance(15) {
            *level = r
                .pick(&["singleton", "singleton(padded)", "singleton(nonunique)", "block", "offset", "range"])
                .into();
        }
    }
    format!("({}) -> ({}) : {}", names.join(","), coords.join(", "), all.join(", "))
}

/// Computed coordinates, under any levels.
fn draw_remap(r: &mut TestRandom, rank: usize) -> String {
    if r.chance(40)
        && let Some(text) = (0..4).map(|_| draw_coordinates(r, rank)).find(|text| parses(text, rank))
    {
        return text;
    }
    let names = &MODES[..rank];
    let c = 2 + r.number_below(3);
    let pairs: &[&str] = &[
        "i+j, i, j",
        "i+j, j, i",
        "i-j, i, j",
        "i-j, j, i",
        "j-i, i, j",
        "j-i+2, i, j",
        "i/C, i, j",
        "i/C, j, i",
        "j, i/C, i",
        "i/C, j/2, i%C, j%2, i, j",
        "i/C, i%C, j, i",
        "i%C, j/2, i, j",
        "i%2, i, j",
        "#i, i, j",
        "#j, j, i",
        "#, i, j",
        "i^j, i, j",
        "(i&1)|((j&1)<<1), i, j",
        "i*2+j, i, j",
        "i/C, #i, i%C, j, i",
    ];
    let text = match rank {
        1 => r.pick(&["i/C, i", "i%2, i", "i/C, i%C, i", "#, i", "i*2, i", "i+1, i", "i^1, i"]).to_string(),
        2 => r.pick(pairs).to_string(),
        _ => {
            let mut rest: Vec<&str> = names[2..].to_vec();
            let pair = r.pick(pairs).to_string();
            if r.chance(30) {
                let first = rest.remove(0);
                [vec![first, &pair], rest].concat().join(", ")
            } else {
                [vec![&pair[..]], rest].concat().join(", ")
            }
        }
    };
    let text = text.replace('C', &c.to_string());
    let coords: Vec<&str> = text.split(", ").collect();
    let mut all = levels(r, coords.len());
    // Modes that the coordinates above decide need no arrays, most of the time.
    let said = |all: &[String]| format!("({}) -> ({text}) : {}", names.join(","), all.join(", "));
    for k in 1..coords.len() {
        let plain = names.contains(&coords[k]);
        let candidates: &[&str] = &["offset", "block", "range"];
        for level in candidates {
            let mut with = all.clone();
            with[k] = (*level).into();
            if plain && r.chance(60) && parses(&said(&with), rank) {
                all = with;
            }
        }
    }
    if text.starts_with('#') && r.chance(50) {
        all[0] = "sliced".into();
        let last = all.len() - 1;
        if r.chance(50) {
            all[1..last].iter_mut().for_each(|l| *l = "dense".into());
            all[last] = "singleton(padded)".into();
        }
    }
    said(&all)
}

/// The full form, with levels that letters cannot spell.
fn spelled_out(r: &mut TestRandom, letters: &str, modes: &[usize]) -> String {
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
pub(super) fn fill(r: &mut TestRandom, dtype: DType, values: ValueSet) -> Option<&'static str> {
    if values == ValueSet::Tropical && dtype.is_float() {
        return r.pick(&[Some("inf"), Some("inf"), Some("-inf"), None]);
    }
    if values == ValueSet::Wild && dtype.is_float() && r.chance(25) {
        return r.pick(&[Some("inf"), Some("-inf"), Some("nan")]);
    }
    if r.chance(80) {
        return None;
    }
    let choices: &[&'static str] = match dtype {
        DType::Bool => &["true"],
        d if d.is_complex() => &["1+0j", "2+1j"],
        d if d.is_float() => &["1", "5", "-0.5"],
        DType::I8 | DType::I16 | DType::I32 => &["1", "5", "-1"],
        DType::I64 => &["1", "5", "-1", "-9223372036854775808", "9223372036854775807"],
        DType::U64 => &["1", "5", "9223372036854775807", "9223372036854775808", "18446744073709551615"],
        _ => &["1", "5"],
    };
    Some(r.pick(choices))
}

/// A value; small, so that float arithmetic on a few of them is exact.
pub(super) fn value(r: &mut TestRandom, dtype: DType, values: ValueSet) -> Scalar {
    let half = |r: &mut TestRandom| (r.number_below(17) as f64 - 8.0) / 2.0;
    match dtype {
        d if values == ValueSet::Wild && d.is_float() && r.chance(20) => {
            // Products of the last one are less than any number but zero.
            let least = if d == DType::F32 { 1e-30 } else { 1e-200 };
            Scalar::from_f64(r.pick(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, least]), d)
        }
        // Zero divided by such a number is NaN.
        d if values == ValueSet::Wild && d.is_complex() && r.chance(8) => {
            let infinite = |r: &mut TestRandom| r.pick(&[f64::INFINITY, f64::NEG_INFINITY]);
            Scalar::C128(Complex::new(infinite(r), infinite(r))).cast(d)
        }
        DType::Bool => Scalar::Bool(r.chance(60)),
        d if d.is_complex() => Scalar::C128(Complex::new(half(r), half(r))).cast(d),
        d if d.is_float() => Scalar::from_f64(half(r), d),
        d if r.chance(4) => Scalar::from_i64(r.bits() as i64, d),
        DType::I64 | DType::U64 if r.chance(12) => edge(r, dtype),
        d if d.kind() == openwork_algebra::DTypeKind::Unsigned => {
            Scalar::from_i64(r.number_below(7) as i64, d)
        }
        d => Scalar::from_i64(r.number_below(9) as i64 - 4, d),
    }
}

/// A number at which 64 bits, signed or not, and floats part.
fn edge(r: &mut TestRandom, dtype: DType) -> Scalar {
    let near = r.pick(&[0, 1 << 53, 1 << 63]) + r.number_below(4) as u64;
    let bits = if r.chance(50) { near } else { near.wrapping_neg() };
    match dtype {
        DType::U64 => Scalar::U64(bits),
        _ => Scalar::I64(bits as i64),
    }
}

/// Tensors with more elements than this have few that are stored.
const LARGE: usize = 200;

/// At most a dozen elements, some of them in one slice.
fn few(r: &mut TestRandom, dtype: DType, shape: &[usize], values: ValueSet) -> Vec<(Vec<usize>, Scalar)> {
    let mut out: Vec<(Vec<usize>, Scalar)> = Vec::new();
    for _ in 0..r.number_below(13) {
        let mut at: Vec<usize> = shape.iter().map(|&size| r.number_below(size)).collect();
        if !out.is_empty() && r.chance(40) {
            let mode = r.number_below(shape.len());
            at[mode] = out[0].0[mode];
        }
        if !out.iter().any(|(known, _)| *known == at) {
            out.push((at, value(r, dtype, values)));
        }
    }
    out
}

/// What a tensor stores: any density, empty slices, explicit fill values and duplicates.
pub(super) fn entries(
    r: &mut TestRandom,
    dtype: DType,
    shape: &[usize],
    fill: Scalar,
    values: ValueSet,
) -> Vec<(Vec<usize>, Scalar)> {
    let len: usize = shape.iter().product();
    if len > LARGE {
        return few(r, dtype, shape, values);
    }
    let percent = match r.number_below(100) {
        0..8 => 0,
        8..20 => 100,
        _ => r.number_below(90) + 5,
    };
    let mut out = Vec::new();
    for flat in 0..len {
        if !r.chance(percent) {
            continue;
        }
        let mut rest = flat;
        let mut at: Vec<usize> = shape.iter().rev().map(|d| (rest % d, rest /= d).0).collect();
        at.reverse();
        let stored = if r.chance(6) { fill } else { value(r, dtype, values) };
        out.push((at, stored));
    }
    if !shape.is_empty() && len > 0 && r.chance(30) {
        let mode = r.number_below(shape.len());
        let slice = r.number_below(shape[mode]);
        out.retain(|(at, _)| at[mode] != slice);
    }
    if r.chance(12) && !out.is_empty() {
        for _ in 0..1 + r.number_below(4) {
            let at = out[r.number_below(out.len())].0.clone();
            let twice = value(r, dtype, values);
            out.push((at, twice));
        }
    }
    if r.chance(25) {
        r.shuffle(&mut out);
    }
    out
}

/// Drops the entries that a triangle has no room for.
pub(super) fn keep_triangle(operand: &mut CaseOperand) {
    let Ok(format) = operand.read_format() else { return };
    for (k, level) in format.levels.iter().enumerate().skip(1) {
        let (up, own) = (format.modes[k - 1], format.modes[k]);
        if level.is(&LOWER) {
            operand.entries.retain(|(at, _)| at[own] <= at[up]);
        } else if level.is(&UPPER) {
            operand.entries.retain(|(at, _)| at[own] >= at[up]);
        }
    }
}
