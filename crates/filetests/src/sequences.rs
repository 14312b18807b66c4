//! Sequences of statements against the oracle: every result, on every session, in any chunks, on any number of threads.

use crate::case::{Case, Wanted};
use crate::differential::{Verdict, wrong_result};
use crate::oracle;
use crate::pipeline::{SPREADS, bits};
use crate::rebuilt::rebuild;
use openwork::expr::StatementSyntax;
use openwork::{Action, Operand, Results, Sequence, Session};
use openwork_base::{Error, Result, Source};
use openwork_index::Decls;
use openwork_index::notation::parse_all;
use openwork_storage::Tensor;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What happened to many sequences.
#[derive(Clone, Debug, Default)]
pub struct SequenceCounts {
    /// Sequences whose every result is what the oracle says.
    pub agreed: usize,
    /// Those that were refused, are ill-typed, or have no definite answer.
    pub left_out: usize,
    /// GroupCounts of statements that ran together.
    pub together: usize,
    /// Kernels that computed several results.
    pub joined: usize,
    /// What is wrong, with the number of the case.
    pub wrong: Vec<(u64, String)>,
}

impl SequenceCounts {
    /// Judges a case and counts it.
    pub fn add(&mut self, seed: u64, case: &Case, sessions: &[Session]) {
        let judged = catch_unwind(AssertUnwindSafe(|| judge(case, sessions)));
        match judged.unwrap_or_else(|_| (Verdict::Disagrees("panic".into()), GroupCounts::default())) {
            (Verdict::Agrees, groups) => {
                self.agreed += 1;
                self.together += groups.together;
                self.joined += groups.joined;
            }
            (Verdict::Disagrees(why), _) => self.wrong.push((seed, format!("{why}\n{case}"))),
            (Verdict::Open | Verdict::IllTyped(_) | Verdict::Refused(_), _) => self.left_out += 1,
        }
    }
}

/// How statements of a sequence ran.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupCounts {
    /// GroupCounts that ran together.
    pub together: usize,
    /// Kernels of several statements.
    pub joined: usize,
}

/// The declarations of all operands and of what is asked of results.
fn decls(case: &Case) -> Result<Decls> {
    let mut all = case.decls(&case.statement()?)?;
    for n in 0..case.before.len() {
        let one = case.link(n, &[])?;
        let own = one.decls(&one.statement()?)?;
        all.tensors.extend(own.tensors);
        all.dims.extend(own.dims);
    }
    Ok(all)
}

/// Judges a case whose statements are one sequence; also gives how they ran.
pub fn judge(case: &Case, sessions: &[Session]) -> (Verdict, GroupCounts) {
    let mut all = GroupCounts::default();
    for session in sessions {
        match on_session(case, session) {
            Ok((Verdict::Agrees, own)) => {
                all.together += own.together;
                all.joined += own.joined;
            }
            Ok(other) => return other,
            Err(e @ Error::Unsupported(_)) => return (Verdict::Refused(e.code().to_string()), all),
            Err(e @ Error::Rejected(_)) => return (Verdict::IllTyped(e.code().to_string()), all),
            Err(e) => return (Verdict::Disagrees(format!("{}: {e}", session.kind().name())), all),
        }
    }
    (Verdict::Agrees, all)
}

fn on_session(case: &Case, session: &Session) -> Result<(Verdict, GroupCounts)> {
    let texts: Vec<&str> = case.before.iter().map(|l| l.text.as_str()).chain([case.text.as_str()]).collect();
    let names: Vec<&str> = texts.iter().map(|text| crate::case::left_name(text)).collect();
    let mut sequence = session.sequence(&texts.join(";"), &decls(case)?, Some(&names))?.with_threads(1);
    let packed: Vec<(String, Tensor)> =
        case.tensors.iter().map(|t| Ok((t.name.clone(), t.pack()?))).collect::<Result<_>>()?;
    let given: Vec<(&str, &Tensor)> = packed.iter().map(|(name, t)| (name.as_str(), t)).collect();
    let together = sequence.actions().iter().filter(|a| matches!(a, Action::Together(_))).count();
    let groups = GroupCounts { together, joined: sequence.joined_statements().count() };
    let (mut before, mut last): (usize, Vec<Vec<Vec<u8>>>) = (0, Vec::new());
    for (chunks, threads) in [(0, 1)].into_iter().chain(SPREADS) {
        sequence = if chunks > 0 { sequence.with_chunks(chunks) } else { sequence }.with_threads(threads);
        let made = run(&sequence, &given, &names)?;
        let now: Vec<Vec<Vec<u8>>> = made.iter().map(|(_, t)| bits(t)).collect();
        if before == chunks && chunks > 0 && now != last {
            let why = format!("other bits in {chunks} chunks on {threads} threads");
            return Ok((Verdict::Disagrees(why), groups));
        }
        if before != chunks || chunks == 0 {
            let verdict = compare_results(case, &made)?;
            if verdict != Verdict::Agrees {
                return Ok((verdict, groups));
            }
        }
        let finite = made.iter().all(|(_, t)| !t.vals().iter().any(|x| x.is_nan()));
        let other = if finite { differs_of_taken(&sequence, &given, &names, &made)? } else { None };
        if let Some(name) = other {
            let why = format!(
                "{name}: other bits with operands given away, in {chunks} chunks on {threads} threads"
            );
            return Ok((Verdict::Disagrees(why), groups));
        }
        (before, last) = (chunks, now);
    }
    let verdict = match under_other_names(case, session, &texts, &names, &given)? {
        Verdict::Agrees => with_each_variant(case, &names, &given, &|| {
            let read = parse_all(&Source::new("statements", texts.join(";")))?;
            let built: Vec<StatementSyntax> = read.iter().map(rebuild).collect::<Result<_>>()?;
            session.sequence(&built, &decls(case)?, Some(&names))
        })?,
        other => other,
    };
    Ok((verdict, groups))
}

/// Whether three runs that are given operands away, some of them or all, make results with the same bits.
fn differs_of_taken(
    sequence: &Sequence,
    given: &[(&str, &Tensor)],
    names: &[&str],
    wanted: &[(String, Tensor)],
) -> Result<Option<String>> {
    for round in 0..3 {
        let mut operands: Vec<(&str, Operand)> = Vec::new();
        for (k, (name, t)) in given.iter().enumerate() {
            let lent = (k + round) % 3 == 0;
            operands.push((name, if lent { Operand::Borrow(t) } else { Operand::Take(t.duplicate()?) }));
        }
        let made = take_results(&mut sequence.run_taking(operands)?, names)?;
        let mut both = made.iter().zip(wanted);
        if let Some(((name, t), (_, wanted))) = both.find(|((_, t), (_, wanted))| bits(t) != bits(wanted)) {
            return Ok(Some(format!("{name} is {:?} and not {:?}", t.vals(), wanted.vals())));
        }
    }
    Ok(None)
}

/// The same statements with each variant that one of their plans has: it runs, or one after it, in every statement that has it,
/// and the results are right.
fn with_each_variant(
    case: &Case,
    names: &[&str],
    given: &[(&str, &Tensor)],
    make: &dyn Fn() -> Result<Sequence>,
) -> Result<Verdict> {
    let counts: Vec<usize> = make()?.kernels().iter().map(|k| k.stages().variants().len()).collect();
    for number in 1..=counts.iter().copied().max().unwrap_or(0) {
        let sequence = make()?.with_variant(number)?.with_threads(1);
        let mut results = sequence.run(given)?;
        let runs = sequence.actions().iter().filter_map(|action| match action {
            Action::Run(n) => Some(std::slice::from_ref(n)),
            Action::Together(group) => Some(&group[..]),
            Action::Free(_) => None,
        });
        for (statements, done) in runs.zip(&results.each) {
            let mut each = statements.iter().zip(&done.ran);
            if let Some((n, ran)) = each.find(|(n, ran)| counts[**n] >= number && ran.variant < number) {
                let why = format!("`{}` was asked for variant {number}, and ran {ran}", names[*n]);
                return Ok(Verdict::Disagrees(why));
            }
        }
        let verdict = compare_results(case, &take_results(&mut results, names)?)?;
        if let Verdict::Disagrees(why) = verdict {
            return Ok(Verdict::Disagrees(format!("variant {number}: {why}")));
        }
    }
    Ok(Verdict::Agrees)
}

/// The same statements, some of whose results take names that are read no more: every result that is still there in the end
/// has the same bits.
fn under_other_names(
    case: &Case,
    session: &Session,
    texts: &[&str],
    names: &[&str],
    given: &[(&str, &Tensor)],
) -> Result<Verdict> {
    let decls = decls(case)?;
    // What is asked of a result is asked of its name.
    let wanted = case.before.iter().map(|l| &l.result).chain([&case.result]);
    let free: Vec<bool> = wanted.map(|w| *w == Wanted::default()).collect();
    let Some((others, new)) = rename_results(texts, names, given, &free) else { return Ok(Verdict::Agrees) };
    let whole = |texts: &[&str], names: &[&str]| -> Result<Vec<(String, Tensor)>> {
        let sequence = session.sequence(&texts.join(";"), &decls, Some(names))?;
        run(&sequence.with_chunks(1).with_threads(1), given, names)
    };
    let wanted = whole(texts, names)?;
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let alive = |n: usize| !new[n + 1..].contains(&new[n]);
    let asked: Vec<&str> = (0..new.len()).filter(|&n| alive(n)).map(|n| new[n].as_str()).collect();
    let made = whole(&others, &asked)?;
    for (got, n) in made.iter().zip((0..new.len()).filter(|&n| alive(n))) {
        let (was, now) = (&wanted[n].1, &got.1);
        if was.dtype() != now.dtype() || was.format() != now.format() || bits(was) != bits(now) {
            return Ok(Verdict::Disagrees(format!(
                "`{}` differs as `{}` in {}",
                names[n],
                new[n],
                others.join("; ")
            )));
        }
    }
    Ok(Verdict::Agrees)
}

/// Statements in which results take the first name, of an operand or of an earlier result, that nobody reads from there on;
/// and the names. Nothing where there is none. `free`: whether a result may have another name.
fn rename_results(
    texts: &[&str],
    names: &[&str],
    given: &[(&str, &Tensor)],
    free: &[bool],
) -> Option<(Vec<String>, Vec<String>)> {
    let mut texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
    let mut new: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut any = false;
    for k in (0..names.len()).filter(|&k| free[k]) {
        let known = given.iter().map(|(name, _)| name.to_string()).chain(new[..k].iter().cloned());
        let read = |text: &String, name: &str| words(right(text)).any(|word| word == name);
        let unasked = |name: &String| (0..names.len()).all(|n| free[n] || names[n] != name.as_str());
        let mut unread = known.filter(|name| texts[k..].iter().all(|text| !read(text, name)));
        let Some(name) = unread.find(unasked) else { continue };
        let old = std::mem::replace(&mut new[k], name.clone());
        for text in &mut texts[k..] {
            *text = replace_word(text, &old, &name);
        }
        any = true;
    }
    any.then_some((texts, new))
}

fn right(text: &str) -> &str {
    text.split_once('=').map_or("", |(_, right)| right)
}
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}
/// The text with another word in place of one.
fn replace_word(text: &str, old: &str, new: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(old) {
        let end = at + old.len();
        let whole = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_');
        let alone = whole(rest[..at].chars().next_back()) && whole(rest[end..].chars().next());
        out.push_str(&rest[..at]);
        out.push_str(if alone { new } else { old });
        rest = &rest[end..];
    }
    out + rest
}

/// The results in the order of their statements.
fn run(sequence: &Sequence, given: &[(&str, &Tensor)], names: &[&str]) -> Result<Vec<(String, Tensor)>> {
    take_results(&mut sequence.run(given)?, names)
}
fn take_results(results: &mut Results, names: &[&str]) -> Result<Vec<(String, Tensor)>> {
    let missing = |name: &str| Error::bug("test", format!("no result `{name}`"), "");
    names.iter().map(|n| Ok((n.to_string(), results.take(n).ok_or_else(|| missing(n))?))).collect()
}

/// Every result against the oracle, on what the results before it really were.
fn compare_results(case: &Case, made: &[(String, Tensor)]) -> Result<Verdict> {
    for (n, (name, t)) in made.iter().enumerate() {
        let one = if n < case.before.len() { case.link(n, &made[..n])? } else { case.last(&made[..n])? };
        let answer = match oracle::evaluate(&one.statement()?, &one.inputs()) {
            Ok(answer) if answer.doubt.is_some() => return Ok(Verdict::Open),
            Ok(answer) => answer,
            Err(why) => return Ok(Verdict::Disagrees(format!("accepted, but ill-typed: {}", why.why))),
        };
        if let Some(wrong) = wrong_result(t, &answer) {
            return Ok(Verdict::Disagrees(format!("`{name}`: {wrong}")));
        }
    }
    Ok(Verdict::Agrees)
}
