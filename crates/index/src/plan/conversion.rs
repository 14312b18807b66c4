//! Copies into another format, assembled out of order (formats thesis, §6.2).
//!
//! ```text
//! B(i,j) = A(i,j), A in csr, B in dia
//!   (forall i forall j forall d B(d,i,j) = map(A(i,j), A(i,j)))
//!     where (forall i forall j forall d Q1(d) |= map(A(i,j), true))
//! ```
//! The source is walked as it is stored. Computed coordinates and counters of the target follow from the modes; the
//! queries of its levels are answered first, each in the cheapest way that [`crate::query`] finds.

use super::lift::variables;
use super::{Concrete, Reason};
use crate::check::Assignment;
use crate::cin::{AssemblyMode, CinStmt, Directives, Program, verify};
use crate::expr::{Access, DerivedVar, IndexExpr, IndexId, TensorKind};
use crate::query::{Answer, QueryFunction, QuerySubject, canonical, optimize, parse};
use openwork_base::{Error, Result, Source};
use openwork_format::remap::{CoordOp, Term};
use openwork_format::{Coords, Format, InsertBy, Level, Props};

/// The source of a statement that only copies an operand, with its modes in any order.
pub fn copied_operand(a: &Assignment) -> Option<&Access> {
    let IndexExpr::Access(source) = &a.rhs else { return None };
    let t = &a.tensors[source.tensor];
    // A part is not walked by the counts of the whole.
    if t.is_windowed() {
        return None;
    }
    let same = source.vars.len() == a.lhs.vars.len() && a.lhs.vars.iter().all(|v| source.vars.contains(v));
    let result = &a.tensors[a.lhs.tensor];
    (same && t.kind == TensorKind::Operand && t.dtype == result.dtype && t.fill.is_same(result.fill))
        .then_some(source)
}

/// Plans a copy whose result is assembled out of order; `None` where its format cannot be.
///
/// # Errors
/// A plan that breaks the law of CIN, which is a bug.
pub fn out_of_order(a: &Assignment) -> Result<Option<Concrete>> {
    let Some(source) = copied_operand(a).cloned() else { return Ok(None) };
    let mut a = a.clone();
    let (from, to) = (a.tensors[source.tensor].format.clone(), a.tensors[a.lhs.tensor].format.clone());
    if !places_elements(&to) || repeats(&from) || from.symmetric || to.symmetric {
        return Ok(None);
    }
    let lifted = |format: &Format, access: &Access, a: &mut Assignment| match &format.remap {
        Some(remap) => Access { vars: variables(remap, access, &mut a.indices), ..access.clone() },
        None => access.clone(),
    };
    let walked = lifted(&from, &source, &mut a);
    let mut loops: Vec<IndexId> = from.modes.iter().map(|&m| walked.vars[m]).collect();
    // The target's own coordinates, except that a counter is not shared with the source's.
    let target = lifted(&to, &a.lhs.clone(), &mut a);
    for (tensor, format) in [(source.tensor, &from), (a.lhs.tensor, &to)] {
        a.tensors[tensor].remap = format.remap.clone();
        a.tensors[tensor].format = format.lift();
    }
    loops.extend(to.modes.iter().map(|&m| target.vars[m]).filter(|v| !loops.contains(v)).collect::<Vec<_>>());
    if !keeps_order(&from, &to, &loops, &target, &a) {
        return Ok(None);
    }
    let copy = IndexExpr::Map { of: walked.clone(), to: Box::new(IndexExpr::Access(walked.clone())) };
    let assign = CinStmt::Assign { lhs: target.clone(), op: None, rhs: copy };
    let mut body = CinStmt::foralls(&loops, assign);
    let mut answers = Vec::new();
    let mut reasons = Vec::new();
    for k in 0..to.depth() {
        let (queries, found) = answer_query(&mut a, &to, k, &walked, &target, &loops[..from.depth()]);
        for query in queries {
            body = CinStmt::Where { consumer: Box::new(body), producer: Box::new(query) };
        }
        answers.push(found);
    }
    let result = a.tensors[a.lhs.tensor].name.clone();
    reasons.push(Reason {
        choice: format!("`{result}` is assembled out of order"),
        because: format!("its elements come in the order of `{}`", a.tensors[source.tensor].name),
    });
    let assembly = AssemblyMode::OutOfOrder(answers);
    let program = Program {
        tensors: a.tensors,
        indices: a.indices,
        body,
        assembly,
        begins: None,
        directives: Directives::default(),
        reads: a.reads,
        source: a.source,
    };
    verify::verify(&program).map_err(|law| Error::bug("plan", law, program.to_string()))?;
    Ok(Some(Concrete { program, reasons }))
}

/// The statements that answer the query of level `k`, and where the answers are.
fn answer_query(
    a: &mut Assignment,
    to: &Format,
    k: usize,
    walked: &Access,
    target: &Access,
    source_loops: &[IndexId],
) -> (Vec<CinStmt>, Vec<Answer>) {
    let Some(text) = to.levels[k].spec.query else { return (Vec::new(), Vec::new()) };
    let query = parse(&Source::new("query", text)).expect("level formats have well-formed queries");
    let var = |k: usize| target.vars[to.modes[k]];
    // One child per element: what is counted is the tuple that the levels from here on complete.
    let tuple: Vec<IndexId> = (k..to.depth()).map(var).collect();
    let counts = query.aggregates.iter().any(|g| matches!(g.function, QueryFunction::Count(_)));
    let mut own = if counts { tuple } else { vec![var(k)] };
    if counts {
        // Elements are distinct in their modes, so computed coordinates tell no more of them apart.
        own.retain(|v| a.indices[*v].derived.is_none());
    }
    let mut names = vec![("above".to_string(), (0..k).map(var).collect::<Vec<_>>()), ("own".into(), own)];
    names.extend(k.checked_sub(1).map(|up| ("up".to_string(), vec![var(up)])));
    let subject = QuerySubject { of: walked.clone(), loops: source_loops.to_vec(), names };
    let (mut statements, mut answers) = (Vec::new(), Vec::new());
    for aggregate in &query.aggregates {
        let (s, answer) = canonical(&subject, &query.by, aggregate, &mut a.tensors, &a.indices);
        let (s, _) = optimize(s, &mut a.tensors, &a.indices);
        statements.push(s);
        answers.push(answer);
    }
    (statements, answers)
}
/// Whether some element may be stored twice, or be spread over coordinates that share a value.
fn repeats(from: &Format) -> bool {
    let chain_repeats = |k: usize| {
        let more = from.levels[k..].iter().skip(1).take_while(|l| l.branchless());
        !from.levels[k].unique() && !more.clone().any(|l| l.unique() || l.spec.coords == Coords::Derived)
    };
    (0..from.depth()).any(|k| !from.levels[k].branchless() && chain_repeats(k))
}

/// Whether the positions of elements follow from their coordinates and from cursors of one list each.
fn places_elements(to: &Format) -> bool {
    let levels = &to.levels;
    let all_dense = |k: usize| levels[..k].iter().all(|l| l.is_dense());
    // The parents of a table are the coordinates above: one prefix for all, from the least coordinate on.
    let one_prefix =
        |k: usize| k == 1 && levels[0].is_prefix() && levels[0].insert() == Some(InsertBy::COMPUTED);
    (0..levels.len()).all(|k| {
        let level = levels[k];
        let Some(insert) = level.insert() else { return false };
        if level.props.has(Props::ZEROLESS) || level.full() != level.is_dense() {
            return false;
        }
        let tabled = level.shares_cursors() || insert == InsertBy::SEQUENCED;
        if tabled && !all_dense(k) && !one_prefix(k) {
            return false;
        }
        if level.marks_empties()
            && to.remap.as_ref().is_some_and(|r| perhaps_negative(&r.coords[k].inline_locals()))
        {
            return false;
        }
        match insert {
            InsertBy::Computed { .. } => true,
            InsertBy::Yielded | InsertBy::Probed => {
                let chained = levels[k + 1..].iter().all(|l| l.branchless() && !l.is_padded());
                let probes_tuple = insert == InsertBy::Probed && k + 1 < levels.len();
                // Slots of a list that stay empty would need marks in every level below.
                let gaps =
                    level.leaves_slots() && levels[k + 1..].iter().any(|l| l.spec.coords == Coords::Stored);
                chained && !probes_tuple && !gaps
            }
            // The list above gives every element a slot of its own.
            InsertBy::Inherited if !level.is_padded() => listed_apart(to, k),
            InsertBy::Inherited => to.remap.as_ref().is_some_and(|remap| remap.counts_apart(k)),
        }
    })
}

/// Whether a coordinate may be -1, which marks empty slots.
fn perhaps_negative(t: &Term) -> bool {
    match t {
        Term::Mode(_) | Term::Counter(_) => false,
        Term::Const(c) => *c < 0,
        Term::Binary(
            CoordOp::Div | CoordOp::Rem | CoordOp::Shr | CoordOp::And | CoordOp::Add | CoordOp::Mul,
            a,
            b,
        ) => perhaps_negative(a) || perhaps_negative(b),
        Term::Local(_) | Term::Binary(..) => true,
    }
}

/// Whether level `k` shares positions with a list above, which elements are appended to one by one, and no level in between
/// promises that a coordinate comes once, unless it does.
fn listed_apart(to: &Format, k: usize) -> bool {
    let head = to.levels[..k].iter().rposition(|l| !l.branchless());
    let Some(head) = head.filter(|&h| to.levels[h].shares_cursors()) else { return false };
    let promises = |l: &Level| l.unique() && l.spec.coords != Coords::Derived;
    (head..k).all(|u| !promises(&to.levels[u]) || to.tells_apart(u))
}
/// Whether elements that share the coordinates above a list come in the order that the list wants.
fn keeps_order(from: &Format, to: &Format, loops: &[IndexId], target: &Access, a: &Assignment) -> bool {
    let var = |k: usize| target.vars[to.modes[k]];
    let sorted = |l: &Level| l.is_ordered() && l.insert() == Some(InsertBy::Yielded);
    let Some(list) = (0..to.depth()).find(|&k| sorted(&to.levels[k])) else { return true };
    if from.levels.iter().any(|l| !l.is_ordered()) {
        return false;
    }
    let fixed: Vec<IndexId> = (0..list).map(var).collect();
    let kept = (list..to.depth()).filter(|&k| to.levels[k].spec.coords != Coords::Derived);
    let wanted: Vec<IndexId> = kept.map(var).collect();
    let comes = sequence(&loops[..from.depth()], &fixed, a);
    let wanted = sequence(&wanted, &fixed, a);
    // Modes that the wanted ones decide may come after them.
    match (comes, wanted) {
        (Some(comes), Some(wanted)) => comes.starts_with(&wanted),
        _ => false,
    }
}

/// The modes by which elements are sorted lexicographically when they are sorted by `vars` and agree in `fixed`; `None` where
/// that is no order of modes.
fn sequence(vars: &[IndexId], fixed: &[IndexId], a: &Assignment) -> Option<Vec<IndexId>> {
    let mut out: Vec<IndexId> = Vec::new();
    // A mode that is not sorted by completely yet, as by its quotient: no other one may come in between.
    let mut partial: Option<IndexId> = None;
    for (n, &v) in vars.iter().enumerate() {
        if fixed.contains(&v) {
            continue;
        }
        let mut complete = true;
        let mode = match &a.indices[v].derived {
            None => v,
            Some(d) if d.counts() => return None,
            Some(d) => {
                let free: Vec<IndexId> = d.depends_on().into_iter().filter(|m| !fixed.contains(m)).collect();
                let [mode] = free[..] else {
                    if free.is_empty() {
                        continue;
                    }
                    return None;
                };
                if !rises(d, mode, fixed, &vars[..n]) {
                    return None;
                }
                complete = d.remap.quotient_of(d.coord).is_some();
                mode
            }
        };
        if partial.is_some_and(|p| p != mode) {
            return None;
        }
        partial = (!complete).then_some(mode);
        if !out.contains(&mode) {
            out.push(mode);
        }
    }
    Some(out)
}

/// Whether a computed coordinate rises with a mode while everything else it depends on, and what was sorted by before,
/// stays the same.
fn rises(d: &DerivedVar, mode: IndexId, fixed: &[IndexId], before: &[IndexId]) -> bool {
    if let Some((quotient, ..)) = d.remap.quotient_of(d.coord) {
        let q = d.vars[quotient];
        return fixed.contains(&q) || before.contains(&q);
    }
    let slope = slope(&d.remap.coords[d.coord].inline_locals(), &|m| d.mode(m) == mode);
    slope == Some(Slope::Rising)
}

/// How a term changes with a mode while everything else stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slope {
    Constant,
    Rising,
    Falling,
}

/// `None` where it may rise here and fall there.
fn slope(t: &Term, is_mode: &dyn Fn(usize) -> bool) -> Option<Slope> {
    use Slope::{Constant, Falling, Rising};
    let both = |a: Slope, b: Slope| match (a, b) {
        (x, Constant) | (Constant, x) => Some(x),
        (x, y) => (x == y).then_some(x),
    };
    let turned = |s: Slope| match s {
        Constant => Constant,
        Rising => Falling,
        Falling => Rising,
    };
    match t {
        Term::Const(_) => Some(Constant),
        Term::Mode(m) => Some(if is_mode(*m) { Rising } else { Constant }),
        Term::Local(_) | Term::Counter(_) => None,
        Term::Binary(op, a, b) => {
            let (left, right) = (slope(a, is_mode)?, slope(b, is_mode)?);
            match (op, &**b) {
                _ if (left, right) == (Constant, Constant) => Some(Constant),
                (CoordOp::Add, _) => both(left, right),
                (CoordOp::Sub, _) => both(left, turned(right)),
                (CoordOp::Div | CoordOp::Shr, Term::Const(_)) => Some(left),
                (CoordOp::Mul, Term::Const(c)) if *c >= 0 => Some(if *c == 0 { Constant } else { left }),
                (CoordOp::Mul, Term::Const(_)) => Some(turned(left)),
                (
                    CoordOp::Div
                    | CoordOp::Shr
                    | CoordOp::Mul
                    | CoordOp::Rem
                    | CoordOp::And
                    | CoordOp::Or
                    | CoordOp::Xor
                    | CoordOp::Shl,
                    _,
                ) => None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openwork_format::Remap;

    #[test]
    fn slopes_of_coordinates() {
        use Slope::{Constant, Falling, Rising};
        let cases = [
            ("j-i", Some(Falling), Some(Rising)),
            ("j-i+2", Some(Falling), Some(Rising)),
            ("5-(j-i)", Some(Rising), Some(Falling)),
            ("(i+j)/2", Some(Rising), Some(Rising)),
            ("2*i-3*j", None, None),
            ("i*2-j*3", Some(Rising), Some(Falling)),
            ("i*0+j", Some(Constant), Some(Rising)),
            ("i-i", None, Some(Constant)),
            ("i^j", None, None),
            ("i%2", None, Some(Constant)),
        ];
        for (text, by_row, by_column) in cases {
            let source = Source::new("remap", format!("(i,j) -> ({text}, i, j)"));
            let term = Remap::parse(&source).unwrap().coords[0].inline_locals();
            assert_eq!(slope(&term, &|m| m == 0), by_row, "{text} by rows");
            assert_eq!(slope(&term, &|m| m == 1), by_column, "{text} by columns");
        }
    }
}
