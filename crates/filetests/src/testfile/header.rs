//! The declarations of a `.t` file.

use crate::case::{Case, CaseOperand, Link};
use openwork_algebra::{Arithmetic, DType, Prim, Scalar};

/// A line without the remark after ` #`; format texts in quotes have counters of that name.
fn strip_comment(line: &str) -> &str {
    let outside = |(at, _): &(usize, &str)| line[..*at].matches('"').count().is_multiple_of(2);
    line.match_indices(" #").find(outside).map_or(line, |(at, _)| &line[..at])
}

/// Reads every line before the first section.
pub(super) fn case(text: &str) -> Result<Case, String> {
    let mut case = Case::default();
    for (n, line) in text.lines().enumerate() {
        let line = strip_comment(line).trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
        if matches!(keyword, "result" | "expr") && !case.text.is_empty() {
            // Another statement: the one so far makes an operand of it.
            let (result, text) = (std::mem::take(&mut case.result), std::mem::take(&mut case.text));
            case.before.push(Link { result, text });
        }
        let read = match keyword {
            "tensor" => operand(rest.trim()).map(|t| case.tensors.push(t)),
            "dim" => dim(rest).map(|(name, size)| {
                case.dims.insert(name, size);
            }),
            "result" => result(rest.trim(), &mut case),
            "arithmetic" if rest.trim() == "exact" => {
                case.arithmetic = Arithmetic::Exact;
                Some(())
            }
            "schedule" => {
                case.schedule = rest.trim().to_string();
                Some(())
            }
            "expr" => {
                case.text = rest.trim().to_string();
                Some(())
            }
            _ => None,
        };
        read.ok_or_else(|| format!("line {}: `{line}` is no declaration", n + 1))?;
    }
    Ok(case)
}

/// The first word, which may stand in quotes, and what follows.
fn split_quoted(text: &str) -> Option<(&str, &str)> {
    match text.strip_prefix('"') {
        Some(inner) => inner.split_once('"'),
        None => Some(text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))),
    }
}

fn operand(text: &str) -> Option<CaseOperand> {
    let (name, rest) = text.split_once(' ')?;
    let (dtype, rest) = rest.trim_start().split_once('[')?;
    let (shape, rest) = rest.split_once(']')?;
    let dtype: DType = dtype.parse().ok()?;
    let shape = numbers(shape)?;
    let (format, rest) = split_quoted(rest.trim_start())?;
    let data = match rest.trim() {
        "" => "",
        more => more.strip_prefix('=')?,
    };
    let entries = entries(data, dtype, &shape)?;
    Some(CaseOperand { name: name.into(), dtype, shape, format: format.into(), entries })
}

fn dim(text: &str) -> Option<(String, usize)> {
    let (name, size) = text.split_once('=')?;
    Some((name.trim().to_string(), size.trim().parse().ok()?))
}

fn result(text: &str, case: &mut Case) -> Option<()> {
    let end = text.find(|c: char| c == '[' || c.is_whitespace()).unwrap_or(text.len());
    let mut rest = text[end..].trim();
    if let Some(shaped) = rest.strip_prefix('[') {
        let (shape, after) = shaped.split_once(']')?;
        case.result.shape = Some(numbers(shape)?);
        rest = after.trim();
    }
    let (first, more) = split_quoted(rest)?;
    let format = match DType::ALL.into_iter().find(|d| d.name() == first) {
        Some(dtype) => {
            case.result.dtype = Some(dtype);
            more.trim()
        }
        None => rest,
    };
    if !format.is_empty() {
        let (format, after) = split_quoted(format)?;
        case.result.format = Some(format.to_string()).filter(|_| after.trim().is_empty());
    }
    Some(())
}

fn numbers(text: &str) -> Option<Vec<usize>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    text.split(',').map(|n| n.trim().parse().ok()).collect()
}

/// `(0,1):2 (2,0):5`, or all values.
fn entries(text: &str, dtype: DType, shape: &[usize]) -> Option<Vec<(Vec<usize>, Scalar)>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() || words[0].starts_with('(') {
        let entry = |word: &&str| {
            let (at, value) = word.strip_prefix('(')?.split_once("):")?;
            let at = numbers(at)?;
            let inside = at.len() == shape.len() && at.iter().zip(shape).all(|(c, size)| c < size);
            Some((at, Scalar::parse(value, dtype)?)).filter(|_| inside)
        };
        return words.iter().map(entry).collect();
    }
    if words.len() != shape.iter().product::<usize>() {
        return None;
    }
    let entry = |(flat, word): (usize, &&str)| {
        let mut rest = flat;
        let mut at: Vec<usize> = shape.iter().rev().map(|d| (rest % d, rest /= d).0).collect();
        at.reverse();
        Some((at, Scalar::parse(word, dtype)?))
    };
    words.iter().enumerate().map(entry).collect()
}

/// The same data as a dense array that is zero elsewhere.
pub(super) fn dense(text: &str, dtype: DType, shape: &[usize]) -> Option<Vec<Scalar>> {
    let mut values = vec![Scalar::zero(dtype); shape.iter().product()];
    for (at, value) in entries(text, dtype, shape)? {
        let flat = at.iter().zip(shape).fold(0, |flat, (c, size)| flat * size + c);
        values[flat] = Prim::Add.eval(&[values[flat], value])?;
    }
    Some(values)
}
