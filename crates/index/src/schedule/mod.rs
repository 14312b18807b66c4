//! Schedules: commands that rewrite a planned statement, each checked (workspaces paper, §3.3 and §4).
//!
//! ```text
//! schedule = [command {(";" | ",") command} [";"]]
//! command  = name "(" argument {"," argument} ")"
//! argument = expr | "{" name {"," name} "}"
//! ```
//! | command | what it does | file |
//! |---|---|---|
//! | `reorder(i,j,…)` | exchanges loops | `reorder` |
//! | `precompute(e, vars, w)` | computes `e` first, into a workspace `w` over `vars`; TACO's `precompute(e, i, iw, w)` also names the loops that fill it; a last argument `dense`, `bitmap`, `hash` or `list` says how it is kept | `precompute`, `reuse` |
//! | `unroll(i,n)`, `vectorize(i)`, `parallelize(i)`, `gallop(i)` | ask something of a loop | `hints` |
//! | `bound(i,ib,n,MaxExact)` | states a size that is known, and renames the variable | `bound` |
//! | `assemble(C,Append)`, `assemble(C,Insert)` | states how the result is assembled | `assemble` |
//! | `split(i,i0,i1,n)`, `divide(i,i0,i1,n)` | a loop over a dense dimension in two | `split` |
//! | `fuse(i,j,f)`, `pos(j,jpos,A(i,j))`, `split(jpos,j0,j1,8)` | name loops for later commands | `named` |
//!
//! A command gives a new program or refuses: text that is no schedule is `E0811`, a name that the statement does not have
//! `E0812`, a precondition that does not hold `E0813`, what no lowering does yet `E0814`. Before a schedule the statement is
//! planned as it is, without comparing other ways; after every command all constraints of storage orders hold again.

mod assemble;
mod bound;
mod builder;
mod distribute;
mod hints;
mod inline;
mod legal;
mod named;
mod parse;
mod pattern;
mod precompute;
mod rename;
mod reorder;
mod reuse;
mod split;
mod splitter;

pub use builder::Schedule;

use crate::cin::{AssemblyMode, CinNames, CinStmt, Program, verify};
use crate::expr::{IndexId, TensorId};
use crate::notation::Name;
use crate::plan::{Concrete, Reason};
use named::LoopNames;
use openwork_base::names::meant_or;
use openwork_base::{Code, Diagnostic, Error, Result, Source, Span};
use parse::{ScheduleCall, parse};

/// Text that is no schedule.
pub(crate) const SYNTAX: Code = Code("E0811");
/// A name that the statement does not have.
pub(crate) const UNKNOWN: Code = Code("E0812");
/// A precondition that does not hold.
pub(crate) const PRECONDITION: Code = Code("E0813");
/// A command that is understood, but not carried out.
pub(crate) const UNSUPPORTED: Code = Code("E0814");

/// A command's rewrite.
type CommandRewrite = fn(Program, &ScheduleCall) -> Result<Program>;

/// Every command: its name, how it is written, and what it does.
const COMMANDS: [(&str, &str, CommandRewrite); 12] = [
    ("reorder", "reorder(i,j)", reorder::reorder),
    (
        "precompute",
        "precompute(B(i,k)*C(k,j), j, w) or precompute(B(i,k)*C(k,j), {i,j}, w, hash)",
        precompute::precompute,
    ),
    ("unroll", "unroll(i,4)", hints::unroll),
    ("vectorize", "vectorize(i)", hints::vectorize),
    ("parallelize", "parallelize(i) or parallelize(i,CPUThread,NoRaces)", hints::parallelize),
    ("bound", "bound(i,ib,100,MaxExact)", bound::bound),
    ("assemble", "assemble(C,Append)", assemble::assemble),
    ("split", "split(i,i0,i1,32)", split::split),
    ("divide", "divide(i,i0,i1,4)", split::divide),
    ("fuse", "fuse(i,j,f)", as_it_is),
    ("pos", "pos(i,ipos,A) or pos(j,jpos,A(i,j))", as_it_is),
    ("gallop", "gallop(i)", hints::gallop),
];

/// What commands that only name loops do to a program.
fn as_it_is(p: Program, _: &ScheduleCall) -> Result<Program> {
    Ok(p)
}

/// Rewrites a plan by every command in turn.
///
/// # Errors
/// `E0811` to `E0814`, pointing into the schedule's text.
pub fn apply(plan: Concrete, schedule: &Schedule) -> Result<Concrete> {
    let source = schedule.source();
    let Concrete { mut program, mut reasons } = plan;
    let mut named = LoopNames::default();
    for call in parse(&source)? {
        if program.assembly != AssemblyMode::InOrder {
            let message = "the statement is a conversion between formats, whose loops follow from them";
            return Err(call.unsupported_error(call.span, message, "leave the schedule out"));
        }
        let (_, _, rewrite) = command(&call)?;
        let because = match named.take(&program, &call)? {
            Some(because) => because,
            None => {
                let call = named.resolve(&program, &call)?;
                program = rewrite(program, &call)?;
                verify::verify(&program).map_err(|law| Error::bug("schedule", law, program.to_string()))?;
                legal::check(&program, &call)?;
                "the schedule asks for it"
            }
        };
        let choice = source.text[call.span.range()].to_string();
        reasons.push(Reason { choice, because: because.into() });
    }
    Ok(Concrete { program, reasons })
}

/// The command of that name.
fn command(call: &ScheduleCall) -> Result<(&'static str, &'static str, CommandRewrite)> {
    COMMANDS.into_iter().find(|(name, ..)| *name == call.name.text).ok_or_else(|| {
        let known: Vec<&str> = COMMANDS.iter().map(|(name, ..)| *name).collect();
        let message = format!("there is no schedule command `{}`", call.name.text);
        let help = format!("the commands are {}", known.join(", "));
        let help = meant_or(&call.name.text, known, &help);
        call.rejection(SYNTAX, call.name.span, message, help)
    })
}

impl ScheduleCall {
    fn diagnostic(&self, code: Code, span: Span, message: String) -> Diagnostic {
        Diagnostic::new(code, message).point_at(&self.source, span, "")
    }
    fn rejection(&self, code: Code, at: Span, message: impl Into<String>, help: impl Into<String>) -> Error {
        Error::rejection(self.diagnostic(code, at, message.into()).help(help))
    }
    /// Something the paper or the storage of a tensor does not allow.
    fn refusal(&self, at: Span, message: impl Into<String>, help: impl Into<String>) -> Error {
        self.rejection(PRECONDITION, at, message, help)
    }
    /// Something that could be done, but is not.
    fn unsupported_error(&self, at: Span, message: impl Into<String>, help: impl Into<String>) -> Error {
        Error::refusal(self.diagnostic(UNSUPPORTED, at, message.into()).help(help))
    }
    /// Other arguments than the command takes.
    fn usage(&self) -> Error {
        let usage = command(self).map_or("", |(_, usage, _)| usage);
        let message = format!("`{}` takes other arguments", self.name.text);
        self.rejection(SYNTAX, self.span, message, format!("write {usage}"))
    }
    /// The index variable of a loop.
    fn index(&self, p: &Program, name: &Name) -> Result<IndexId> {
        let bound = loops(&p.body);
        let found = bound.iter().copied().find(|&v| p.indices[v].name == name.text);
        found.ok_or_else(|| {
            let all: Vec<&str> = bound.iter().map(|&v| p.indices[v].name.as_str()).collect();
            let message = format!("the statement has no loop over `{}`", name.text);
            let help = format!("its loops are over {}", all.join(", "));
            self.rejection(UNKNOWN, name.span, message, meant_or(&name.text, all, &help))
        })
    }
    /// The tensor of a name.
    fn tensor(&self, p: &Program, name: &Name) -> Result<TensorId> {
        let found = p.tensors.iter().find(|(_, t)| t.name == name.text).map(|(id, _)| id);
        found.ok_or_else(|| {
            let all: Vec<&str> = p.tensors.iter().map(|(_, t)| t.name.as_str()).collect();
            let message = format!("the statement has no tensor `{}`", name.text);
            let help = format!("it has {}", all.join(", "));
            self.rejection(UNKNOWN, name.span, message, meant_or(&name.text, all, &help))
        })
    }
    /// Computed coordinates follow from others, so their loops have no order of their own.
    fn without_computed(&self, p: &Program) -> Result<()> {
        let bound = loops(&p.body);
        let split = split::parts(p);
        let part = |v: IndexId| split.iter().any(|s| s.parts.contains(&v));
        match bound.into_iter().find(|&v| p.indices[v].derived.is_some() && !part(v)) {
            None => Ok(()),
            Some(v) => {
                let message = format!("`{}` is a computed coordinate of the storage", p.indices[v].name);
                let help = "store the operand without computed coordinates, csr for example";
                Err(self.unsupported_error(self.span, message, help))
            }
        }
    }
}

/// The variables of all loops, each once.
fn loops(s: &CinStmt) -> Vec<IndexId> {
    let mut out = Vec::new();
    s.visit(&mut |s| {
        if let CinStmt::Forall { index, .. } = s
            && !out.contains(index)
        {
            out.push(*index);
        }
    });
    out
}

/// The loops right inside each other from `s` on, and what they run.
fn nest(s: &CinStmt) -> (Vec<IndexId>, &CinStmt) {
    let (mut vars, mut inner) = (Vec::new(), s);
    while let CinStmt::Forall { index, body } = inner {
        vars.push(*index);
        inner = body;
    }
    (vars, inner)
}

/// Whether a statement reads or writes something at a variable.
fn uses(s: &CinStmt, v: IndexId) -> bool {
    s.assignments().into_iter().any(|(lhs, _, rhs)| lhs.vars.contains(&v) || rhs.mentions(v))
}

fn names(p: &Program) -> CinNames<'_> {
    CinNames { tensors: &p.tensors, indices: &p.indices }
}

/// The source under which messages quote a schedule.
fn source_of(text: &str) -> Source {
    Source::new("schedule", text)
}
