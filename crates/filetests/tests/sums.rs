//! An implicit sum is the explicit one around the term that holds its variables: the same plan, the same bits.

use openwork::BackendKind;
use openwork_filetests::case::Case;
use openwork_filetests::cineval::plan_case;
use openwork_filetests::differential::budget;
use openwork_filetests::pipeline::{CompilerPipeline, Pipeline};
use openwork_filetests::random;
use openwork_index::check::has_one_reading;
use openwork_index::notation::{StatementSyntax, Syntax};
use std::ops::Range;

/// The statement with every sum written out.
struct Writer<'a> {
    variables: &'a [String],
}

impl Writer<'_> {
    fn text(&self, e: &Syntax) -> String {
        match e {
            Syntax::Number(n) => n.text.clone(),
            Syntax::Tensor(t) => t.to_string(),
            Syntax::Op { op, args, .. } => {
                let args: Vec<String> = args.iter().map(|a| format!("({})", self.text(a))).collect();
                self.op(op.symbol, &args)
            }
            Syntax::Apply { name, args, .. } => {
                let args: Vec<String> = args.iter().map(|a| self.text(a)).collect();
                format!("{}({})", name.text, args.join(", "))
            }
        }
    }
    fn op(&self, symbol: Option<&str>, args: &[String]) -> String {
        match (symbol, args) {
            (Some(sign), [a, b]) => format!("{a} {sign} {b}"),
            (Some(sign), [a]) => format!("{sign}{a}"),
            _ => format!("-{}", args[0]),
        }
    }
    fn is_variable(&self, e: &Syntax) -> bool {
        matches!(e, Syntax::Tensor(t) if t.bare && self.variables.contains(&t.name.text))
    }
    /// The variables that a reduction by name binds.
    fn bound<'e>(&self, e: &'e Syntax) -> &'e [Syntax] {
        match e {
            Syntax::Apply { args, .. } => {
                let (_, leading) = args.split_last().expect("no function is without arguments");
                if leading.iter().all(|a| self.is_variable(a)) { leading } else { &[] }
            }
            _ => &[],
        }
    }
    fn uses(&self, e: &Syntax, v: &str) -> bool {
        let bare = |e: &Syntax| matches!(e, Syntax::Tensor(t) if t.bare && t.name.text == v);
        match e {
            Syntax::Number(_) => false,
            Syntax::Tensor(t) => {
                let said = t.positions.iter().any(|p| self.uses(p, v));
                said || self.is_variable(e) && bare(e) || t.indices.iter().any(|n| n.text == v)
            }
            Syntax::Op { args, .. } => args.iter().any(|a| self.uses(a, v)),
            Syntax::Apply { args, .. } => {
                !self.bound(e).iter().any(bare) && args[self.bound(e).len()..].iter().any(|a| self.uses(a, v))
            }
        }
    }
    /// Whether a sum goes on to every operand: sums, differences, signs.
    fn has_terms(&self, e: &Syntax, v: &str) -> bool {
        let name = |e: &Syntax| match e {
            Syntax::Op { op, .. } => op.name.to_string(),
            Syntax::Apply { name, .. } => name.text.clone(),
            Syntax::Number(_) | Syntax::Tensor(_) => String::new(),
        };
        self.uses(e, v) && matches!(name(e).as_str(), "add" | "sub" | "neg")
    }
    /// Whether a sum over `v` goes on into `e`: it has terms, or is a multiple, or a sum by name, of what has.
    fn below_a_sum(&self, e: &Syntax, v: &str) -> bool {
        let (name, args) = match e {
            Syntax::Op { op, args, .. } => (op.name, &args[..]),
            Syntax::Apply { name, args, .. } => (name.text.as_str(), &args[self.bound(e).len()..]),
            Syntax::Number(_) | Syntax::Tensor(_) => return false,
        };
        let with: Vec<&Syntax> = args.iter().filter(|a| self.uses(a, v)).collect();
        let multiple = match name {
            "mul" => with.len() == 1,
            "div" => with.len() == 1 && !self.uses(&args[1], v),
            "sum" => !self.bound(e).is_empty(),
            _ => false,
        };
        self.has_terms(e, v) || multiple && self.terms_inside(with[0], v)
    }
    fn terms_inside(&self, e: &Syntax, v: &str) -> bool {
        let args = match e {
            Syntax::Op { args, .. } => &args[..],
            Syntax::Apply { args, .. } => &args[self.bound(e).len()..],
            Syntax::Number(_) | Syntax::Tensor(_) => return false,
        };
        self.uses(e, v) && (self.has_terms(e, v) || args.iter().any(|a| self.terms_inside(a, v)))
    }
    fn sum_text(&self, e: &Syntax, v: &str) -> String {
        if !self.uses(e, v) {
            return self.text(e);
        }
        if !self.below_a_sum(e, v) {
            return format!("sum({v}, {})", self.text(e));
        }
        match e {
            Syntax::Op { op, args, .. } => {
                let args: Vec<String> = args.iter().map(|a| format!("({})", self.sum_text(a, v))).collect();
                self.op(op.symbol, &args)
            }
            Syntax::Apply { name, args, .. } => {
                let args: Vec<String> = args.iter().map(|a| self.sum_text(a, v)).collect();
                format!("{}({})", name.text, args.join(", "))
            }
            Syntax::Number(_) | Syntax::Tensor(_) => self.text(e),
        }
    }
}

/// The case with its sums written out; nothing where it has no implicit ones.
fn explicit(case: &Case) -> Option<Case> {
    let parsed = |case: &Case| -> StatementSyntax { case.statement().expect("random statements parse") };
    let first = parsed(case);
    let variables: Vec<String> = first.index_names().into_iter().map(String::from).collect();
    let mut left: Vec<String> = first.lhs.indices.iter().map(|n| n.text.clone()).collect();
    // What says a place is no matter of sums.
    first.lhs.positions.iter().for_each(|p| {
        p.each_tensor(&mut |t| left.extend(t.variables().chain([&t.name]).map(|n| n.text.clone())));
    });
    let writer = Writer { variables: &variables };
    if first.op.is_some_and(|op| op.name != "add") || !has_one_reading(&first) {
        return None;
    }
    let definitions: String = first.functions.iter().map(|d| format!("{}; ", d.text)).collect();
    let (head, _) = case.text.strip_prefix(&definitions)?.split_once('=')?;
    let mut out = case.clone();
    for v in variables.iter().filter(|v| !left.contains(v)) {
        let rhs = parsed(&out).rhs;
        if writer.uses(&rhs, v) {
            let mask = first.mask.as_ref().map_or(String::new(), |mask| format!(" where {mask}"));
            out.text = format!("{definitions}{head}= {}{mask}", writer.sum_text(&rhs, v));
        }
    }
    (out.text != case.text).then_some(out)
}

#[test]
fn implicit_sums_are_explicit_ones() {
    let compiler =
        CompilerPipeline::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    let (mut met, mut compared) = (0, 0);
    let first = 1 << 42;
    for seed in budget(1000).seed_range(first) {
        let case = random::case(seed);
        let Some(other) = explicit(&case) else { continue };
        met += 1;
        match (compiler.run(&case), compiler.run(&other)) {
            (Ok(one), Ok(two)) => {
                compared += 1;
                for (a, b) in one.iter().map(|m| &m.tensor).zip(two.iter().map(|m| &m.tensor)) {
                    assert_eq!(a.dtype(), b.dtype(), "{} and {}", case.text, other.text);
                    assert_eq!(a.vals().as_bytes(), b.vals().as_bytes(), "{} and {}", case.text, other.text);
                    assert_eq!(a, b, "{} and {}", case.text, other.text);
                }
            }
            (Err(a), Err(b)) => assert_eq!(a.code(), b.code(), "{} and {}", case.text, other.text),
            (a, b) => panic!("{}: {a:?}\n{}: {b:?}", case.text, other.text),
        }
    }
    assert!(met * 12 > budget(1000).count(), "{met} statements with implicit sums");
    assert!(compared * 2 > met, "{compared} of {met} compared");
}

#[test]
fn readings_that_are_offered_say_all_their_sums() {
    let mut offered = 0;
    // One case in a hundred or two is refused with readings, and to plan a case costs little.
    let Range { start, end } = budget(1000).seed_range(1 << 43);
    let seeds = start..end + 7 * (end - start);
    for seed in seeds.clone() {
        let case = random::case(seed);
        let Err(e) = plan_case(&case) else { continue };
        let text = e.to_string();
        let Some((_, help)) = text.split_once("write the sum: ").filter(|_| e.code().0 == "E0214") else {
            continue;
        };
        for reading in help.split('`').skip(1).step_by(2) {
            offered += 1;
            let definitions: String = case
                .statement()
                .map_or(String::new(), |s| s.functions.iter().map(|d| format!("{}; ", d.text)).collect());
            let other = Case { text: format!("{definitions}{reading}"), ..case.clone() };
            let read = other.statement().unwrap_or_else(|e| panic!("{}\n{reading}: {e}", case.text));
            assert!(has_one_reading(&read), "{}\n{reading}", case.text);
        }
    }
    assert!(offered > seeds.count() / 100, "{offered} readings");
}
