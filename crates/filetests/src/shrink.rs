//! Smaller cases that fail in the same way.
//!
//! Every step drops something: a term of the statement, an index value, entries, a setting of a format, a dtype. A
//! step is kept when the case still fails; the search ends when no step is kept.

use crate::case::{Case, Link, Wanted};
use openwork_algebra::{DType, Scalar};
use openwork_index::notation::{StatementSyntax, Syntax};
use std::collections::BTreeSet;

/// The most cases that one search looks at.
const TRIES: usize = 3000;

/// The smallest case found for which `fails` holds; `case` itself must fail.
pub fn shrink(case: &Case, fails: &dyn Fn(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let mut tries = 0;
    loop {
        let mut steps = Vec::new();
        terms(&best, &mut steps);
        links(&best, &mut steps);
        sizes(&best, &mut steps);
        settings(&best, &mut steps);
        entries(&best, &mut steps);
        let smaller = steps.into_iter().filter(|c| *c != best).find(|c| {
            tries += 1;
            tries <= TRIES && fails(c)
        });
        match smaller {
            Some(c) => best = c,
            None => return best,
        }
    }
}

/// An expression as text, with parentheses around every operator that has arguments.
pub fn text(e: &Syntax) -> String {
    let list = |args: &[Syntax]| args.iter().map(text).collect::<Vec<_>>().join(", ");
    let inner = |e: &Syntax| match e {
        Syntax::Op { .. } => format!("({})", text(e)),
        _ => text(e),
    };
    match e {
        Syntax::Number(n) => n.text.clone(),
        Syntax::Tensor(t) => t.to_string(),
        Syntax::Apply { name, args, .. } => format!("{}({})", name.text, list(args)),
        Syntax::Op { op, args, .. } => match (&args[..], op.symbol, op.name) {
            ([a, b], Some(sign), _) => format!("{} {sign} {}", inner(a), inner(b)),
            ([a], _, "neg") => format!("-{}", inner(a)),
            ([a], _, _) => format!("!{}", inner(a)),
            _ => format!("{}({})", op.name, list(args)),
        },
    }
}

fn access<'a>(name: &str, vars: impl Iterator<Item = &'a str>) -> String {
    format!("{name}({})", vars.collect::<Vec<_>>().join(","))
}

fn statement_text(s: &StatementSyntax, sign: &str, rhs: &str) -> String {
    let lhs = if s.lhs.indices.is_empty() {
        s.lhs.name.text.clone()
    } else {
        access(&s.lhs.name.text, s.lhs.indices.iter().map(|n| n.text.as_str()))
    };
    let called = |name: &str| rhs.contains(&format!("{name}("));
    let all = s.functions.iter().filter(|d| called(&d.name.text));
    let definitions: String = all.map(|d| format!("{}; ", d.text)).collect();
    format!("{definitions}{lhs} {sign} {rhs}")
}

/// Every expression with one part replaced by a part of that part.
fn smaller(e: &Syntax) -> Vec<Syntax> {
    let (Syntax::Op { args, .. } | Syntax::Apply { args, .. }) = e else { return Vec::new() };
    let mut out = args.clone();
    for (n, arg) in args.iter().enumerate() {
        for less in smaller(arg) {
            let mut copy = e.clone();
            let (Syntax::Op { args, .. } | Syntax::Apply { args, .. }) = &mut copy else { continue };
            args[n] = less;
            out.push(copy);
        }
        if let (Syntax::Apply { name, .. }, true) = (e, args.len() > 2 && n + 1 < args.len()) {
            let mut args = args.clone();
            args.remove(n);
            out.push(Syntax::Apply { name: name.clone(), args, span: e.span() });
        }
    }
    out
}

/// The case with another statement, without the operands and dimensions that it no longer needs.
fn with_text(case: &Case, text: String) -> Case {
    let mut c = Case { text, ..case.clone() };
    let Ok(s) = c.statement() else { return case.clone() };
    let before = earlier_statements(case);
    let names: BTreeSet<&str> = s
        .operands()
        .into_iter()
        .chain(s.op.map(|_| s.lhs.name.text.as_str()))
        .chain(before.iter().flat_map(StatementSyntax::operands))
        .collect();
    let mut left = s.index_names();
    left.extend(before.iter().flat_map(StatementSyntax::index_names));
    let mut dims = case.dims.clone();
    // A variable that loses its last operand keeps its size.
    if let Ok(old) = case.statement() {
        for (name, size) in sized_variables(case, &old) {
            dims.insert(name, size);
        }
    }
    c.tensors.retain(|t| names.contains(t.name.as_str()));
    let held: BTreeSet<String> = sized_variables(&c, &s).into_iter().map(|(name, _)| name).collect();
    dims.retain(|name, _| left.contains(&name.as_str()) && !held.contains(name));
    c.dims = dims;
    c
}

/// The variables that operands give a size.
fn sized_variables(case: &Case, s: &StatementSyntax) -> Vec<(String, usize)> {
    let mut out = Vec::new();
    let mut see = |t: &openwork_index::notation::TensorRef| {
        if let Some(operand) = case.operand(&t.name.text) {
            out.extend(t.indices.iter().map(|n| n.text.clone()).zip(operand.shape.iter().copied()));
        }
    };
    s.rhs.each_tensor(&mut see);
    if s.op.is_some() {
        see(&s.lhs);
    }
    out
}

/// The statements before the last one.
fn earlier_statements(case: &Case) -> Vec<StatementSyntax> {
    let parsed = |text: &str| Case { text: text.into(), ..Case::default() }.statement().ok();
    case.before.iter().filter_map(|link| parsed(&link.text)).collect()
}

/// Simpler statements before the last one.
fn links(case: &Case, out: &mut Vec<Case>) {
    for (n, s) in earlier_statements(case).iter().enumerate() {
        let mut change = |link: Link| {
            let mut c = case.clone();
            c.before[n] = link;
            out.push(with_text(&c, c.text.clone()));
        };
        let now = &case.before[n];
        for less in smaller(&s.rhs) {
            change(Link { text: statement_text(s, "=", &text(&less)), ..now.clone() });
        }
        if now.result != Wanted::default() {
            change(Link { result: Wanted::default(), ..now.clone() });
        }
        for format in now.result.format.iter().flat_map(|f| simpler(f)) {
            let result = Wanted { format: Some(format), ..now.result.clone() };
            change(Link { result, ..now.clone() });
        }
    }
    // A link that nothing reads.
    let s = case.statement();
    let read: BTreeSet<String> = earlier_statements(case)
        .iter()
        .chain(s.as_ref())
        .flat_map(StatementSyntax::operands)
        .map(String::from)
        .collect();
    for n in 0..case.before.len() {
        let mut c = case.clone();
        let link = c.before.remove(n);
        let name = Case { text: link.text, ..Case::default() };
        if !read.contains(name.result_name()) {
            out.push(with_text(&c, c.text.clone()));
        }
    }
}

fn terms(case: &Case, out: &mut Vec<Case>) {
    let Ok(s) = case.statement() else { return };
    for less in smaller(&s.rhs) {
        let sign = s.op.map_or("=".into(), |op| format!("{}=", op.symbol.unwrap_or(op.name)));
        out.push(with_text(case, statement_text(&s, &sign, &text(&less))));
    }
    if s.op.is_some() {
        out.push(with_text(case, statement_text(&s, "=", &text(&s.rhs))));
    }
    // The result with one mode less; the variable is then summed.
    if case.operand(&s.lhs.name.text).is_none() && case.result.format.is_none() {
        for n in 0..s.lhs.indices.len() {
            let mut less = s.clone();
            less.lhs.indices.remove(n);
            out.push(with_text(case, statement_text(&less, "=", &text(&s.rhs))));
        }
    }
}

/// The case with the last values of one variable cut off, and of every variable that shares a mode with it.
fn sizes(case: &Case, out: &mut Vec<Case>) {
    cut(case, out, |size| size / 2);
    cut(case, out, |size| size.saturating_sub(1));
}

fn cut(case: &Case, out: &mut Vec<Case>, less: impl Fn(usize) -> usize) {
    let Ok(s) = case.statement() else { return };
    let mut uses: Vec<(String, usize, String)> = Vec::new();
    let mut see = |t: &openwork_index::notation::TensorRef| {
        uses.extend(t.indices.iter().enumerate().map(|(m, n)| (t.name.text.clone(), m, n.text.clone())));
    };
    let all: Vec<StatementSyntax> = earlier_statements(case).into_iter().chain([s]).collect();
    for s in &all {
        s.rhs.each_tensor(&mut see);
        see(&s.lhs);
    }
    let links: BTreeSet<&str> = all.iter().rev().skip(1).map(|s| s.lhs.name.text.as_str()).collect();
    let names: BTreeSet<&str> = all.iter().flat_map(StatementSyntax::index_names).collect();
    for var in names {
        let mut vars: BTreeSet<String> = [var.to_string()].into();
        let mut modes: BTreeSet<(String, usize)> = BTreeSet::new();
        loop {
            let before = (vars.len(), modes.len());
            for (tensor, mode, v) in &uses {
                let declared = case.operand(tensor).is_some() || links.contains(tensor.as_str());
                if declared && (vars.contains(v) || modes.contains(&(tensor.clone(), *mode))) {
                    vars.insert(v.clone());
                    modes.insert((tensor.clone(), *mode));
                }
            }
            if before == (vars.len(), modes.len()) {
                break;
            }
        }
        let mut c = case.clone();
        for t in &mut c.tensors {
            for mode in (0..t.shape.len()).filter(|&m| modes.contains(&(t.name.clone(), m))) {
                t.shape[mode] = less(t.shape[mode]);
                let size = t.shape[mode];
                t.entries.retain(|(at, _)| at[mode] < size);
            }
        }
        for (_, size) in c.dims.iter_mut().filter(|(name, _)| vars.contains(*name)) {
            *size = less(*size);
        }
        out.push(c);
    }
}

fn settings(case: &Case, out: &mut Vec<Case>) {
    if case.result != Wanted::default() {
        out.push(Case {
            result: Wanted { shape: case.result.shape.clone(), ..Wanted::default() },
            ..case.clone()
        });
        out.push(Case { result: Wanted { dtype: None, ..case.result.clone() }, ..case.clone() });
        out.push(Case { result: Wanted { format: None, ..case.result.clone() }, ..case.clone() });
        if let Some(format) = &case.result.format {
            for format in simpler(format) {
                out.push(Case {
                    result: Wanted { format: Some(format), ..case.result.clone() },
                    ..case.clone()
                });
            }
        }
    }
    for dtype in [DType::F64, DType::I64, DType::Bool] {
        let mut c = case.clone();
        c.tensors.iter_mut().for_each(|t| retype(t, dtype));
        out.push(c);
    }
    for n in 0..case.tensors.len() {
        for dtype in [DType::F64, DType::I64] {
            if case.tensors[n].dtype == dtype {
                break;
            }
            let mut c = case.clone();
            retype(&mut c.tensors[n], dtype);
            out.push(c);
        }
        for format in simpler(&case.tensors[n].format) {
            let mut c = case.clone();
            c.tensors[n].format = format;
            out.push(c);
        }
    }
}

fn retype(t: &mut crate::case::CaseOperand, dtype: DType) {
    t.dtype = dtype;
    t.entries.iter_mut().for_each(|(_, v)| *v = v.cast(dtype));
}

/// Format texts that say less.
fn simpler(format: &str) -> Vec<String> {
    let mut out = Vec::new();
    let parts: Vec<&str> = format.split(';').map(str::trim).collect();
    for n in 1..parts.len() {
        let kept: Vec<&str> = parts.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, p)| *p).collect();
        out.push(kept.join("; "));
    }
    let join = |head: String| [vec![head.as_str()], parts[1..].to_vec()].concat().join("; ");
    let head = parts[0];
    if head == "dense" {
        return out;
    }
    out.push(join("dense".into()));
    if let Some((from, levels)) = head.split_once(" : ") {
        let levels: Vec<&str> = levels.split(", ").collect();
        for n in 0..levels.len() {
            for to in ["dense", "compressed", "offset"] {
                let rank =
                    |l: &str| ["offset", "dense", "compressed"].iter().position(|s| *s == l).unwrap_or(9);
                if rank(to) < rank(levels[n]) {
                    let mut copy = levels.clone();
                    copy[n] = to;
                    out.push(join(format!("{from} : {}", copy.join(", "))));
                }
            }
        }
        return out;
    }
    if !["csf", "coo"].contains(&head) && head.len() > 4 {
        out.push(join("csf".into()));
    }
    if let Some((letters, _)) = head.split_once(':') {
        out.push(join(letters.into()));
    }
    let (letters, modes) = head.split_once(':').map_or((head, ""), |(l, m)| (l, m));
    if letters.chars().all(|c| "dsucq".contains(c)) {
        for at in 0..letters.len() {
            for to in ["d", "s"] {
                let mut copy = letters.to_string();
                if &copy[at..=at] == "d" || &copy[at..=at] == to {
                    continue;
                }
                copy.replace_range(at..=at, to);
                out.push(join(if modes.is_empty() { copy } else { format!("{copy}:{modes}") }));
            }
        }
    }
    out
}

fn entries(case: &Case, out: &mut Vec<Case>) {
    for n in 0..case.tensors.len() {
        let all = &case.tensors[n].entries;
        let mut change = |entries: Vec<(Vec<usize>, Scalar)>| {
            let mut c = case.clone();
            c.tensors[n].entries = entries;
            out.push(c);
        };
        if all.len() > 2 {
            change(all[..all.len() / 2].to_vec());
            change(all[all.len() / 2..].to_vec());
        }
        for e in 0..all.len() {
            let mut less = all.clone();
            less.remove(e);
            change(less);
        }
        let one = Scalar::one(case.tensors[n].dtype);
        if !all.is_empty() {
            change(all.iter().map(|(at, _)| (at.clone(), one)).collect());
        }
        for e in (0..all.len()).filter(|&e| !all[e].1.is_same(one)) {
            let mut plain = all.clone();
            plain[e].1 = one;
            change(plain);
        }
        let mut sorted = all.clone();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        if sorted != *all {
            change(sorted);
        }
    }
}
