//! `fuse(i,j,f)`, `pos(j,jpos,A(i,j))`, and `split` of what they name: loops under other names, for the commands that follow.
//!
//! ```text
//! fuse(i,j,f)               f is the loops over i and j right inside each other, taken as one
//! pos(f,fpos,A(i,j))        fpos is f, walked by the positions of A, as generated loops over its levels are
//! split(fpos,c,p,100)       c is a piece of those positions, p a position in it
//! reorder(c,p,k)            =>  reorder(i,j,k)
//! parallelize(c)            =>  parallelize(i)
//! ```
//! In TACO these commands make loops that threads share evenly. Here threads share the work of any loop evenly, cut where the
//! stored elements say (`execute/balance.rs`), and the vectoriser takes positions several at a time, so the names are what
//! later commands need of them. What would change the loops is refused: positions out of order, or other loops between the
//! ones that are fused.

use super::parse::{Arg, ScheduleCall};
use super::{inline, names, nest};
use crate::cin::{CinStmt, Program};
use crate::expr::{Access, IndexId};
use crate::notation::{Name, Syntax, TensorRef};
use openwork_base::{Result, Span};
use openwork_format::Coords;

/// Which rounds of its loops a name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounds {
    /// All.
    All,
    /// Pieces of several.
    Pieces,
    /// Those of one piece.
    Within,
}

/// A name for loops.
#[derive(Clone, Debug)]
struct LoopName {
    name: String,
    /// The loops, outermost first.
    vars: Vec<IndexId>,
    rounds: Rounds,
}

/// The names so far.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopNames(Vec<LoopName>);

impl LoopNames {
    /// Carries out a command that names loops, and gives the reason for what became of it; nothing for other commands.
    ///
    /// # Errors
    /// `E0811` to `E0814`.
    pub(super) fn take(&mut self, p: &Program, call: &ScheduleCall) -> Result<Option<&'static str>> {
        let first = call.args.first().and_then(Arg::name);
        let own = first.is_some_and(|n| self.find(&n.text).is_some());
        match call.name.text.as_str() {
            "fuse" => self.fuse(p, call).map(|()| Some("the loops are one to the commands that follow")),
            "pos" => self.pos(p, call).map(|()| Some("stored elements are walked by their positions")),
            "split" | "divide" if own => {
                self.pieces(p, call)?;
                Ok(Some("threads share positions evenly, and vectors take several at a time"))
            }
            _ => Ok(None),
        }
    }
    fn find(&self, name: &str) -> Option<&LoopName> {
        self.0.iter().find(|k| k.name == name)
    }
    /// The loops of a name: those of one that was given, or a loop of the statement.
    fn loops(&self, p: &Program, call: &ScheduleCall, name: &Name) -> Result<LoopName> {
        match self.find(&name.text) {
            Some(known) => Ok(known.clone()),
            None => {
                let vars = vec![call.index(p, name)?];
                Ok(LoopName { name: name.text.clone(), vars, rounds: Rounds::All })
            }
        }
    }
    fn add(&mut self, p: &Program, call: &ScheduleCall, name: &Name, known: LoopName) -> Result<()> {
        let index = p.indices.iter().any(|(_, i)| i.name == name.text);
        if index || p.tensors.iter().any(|(_, t)| t.name == name.text) || self.find(&name.text).is_some() {
            let message = format!("`{}` is a name of the statement already", name.text);
            return Err(call.refusal(name.span, message, "choose another"));
        }
        self.0.push(LoopName { name: name.text.clone(), ..known });
        Ok(())
    }
    fn fuse(&mut self, p: &Program, call: &ScheduleCall) -> Result<()> {
        let [outer, inner, new] = &call.args[..] else { return Err(call.usage()) };
        let (Some(outer), Some(inner), Some(new)) = (outer.name(), inner.name(), new.name()) else {
            return Err(call.usage());
        };
        let (a, b) = (self.loops(p, call, outer)?, self.loops(p, call, inner)?);
        let vars = [a.vars.clone(), b.vars].concat();
        // A sum that is kept in a scalar stands inside of a where statement.
        if !adjacent(&p.body, &vars) && !adjacent(&inline::scalars(p.clone()).body, &vars) {
            let message =
                format!("the loop over `{}` is not right inside the one over `{}`", inner.text, outer.text);
            return Err(call.refusal(call.span, message, "reorder the two next to each other first"));
        }
        self.add(p, call, new, LoopName { vars, rounds: Rounds::All, ..a })
    }
    fn pos(&mut self, p: &Program, call: &ScheduleCall) -> Result<()> {
        let [var, new, tensor] = &call.args[..] else { return Err(call.usage()) };
        let (Some(var), Some(new)) = (var.name(), new.name()) else { return Err(call.usage()) };
        let Arg::Expr(Syntax::Tensor(access)) = tensor else { return Err(call.usage()) };
        let known = self.loops(p, call, var)?;
        walks(p, call, &known.vars, access)?;
        self.add(p, call, new, known)
    }
    fn pieces(&mut self, p: &Program, call: &ScheduleCall) -> Result<()> {
        let [var, outer, inner, number] = &call.args[..] else { return Err(call.usage()) };
        let (Some(var), Some(outer), Some(inner)) = (var.name(), outer.name(), inner.name()) else {
            return Err(call.usage());
        };
        let (number, at) = number.number().ok_or_else(|| call.usage())?;
        if number < 1 {
            return Err(call.refusal(at, "a piece has at least 1 round", "32 is a good start"));
        }
        let known = self.loops(p, call, var)?;
        if known.rounds != Rounds::All {
            let message = format!("`{}` is a part of something else already", var.text);
            return Err(call.refusal(var.span, message, "split a loop once"));
        }
        self.add(p, call, outer, LoopName { rounds: Rounds::Pieces, ..known.clone() })?;
        self.add(p, call, inner, LoopName { rounds: Rounds::Within, ..known })
    }

    /// A command that says the statement's own variables for names that were given.
    ///
    /// # Errors
    /// `E0814` where it would walk positions in another order than they have.
    pub(super) fn resolve(&self, p: &Program, call: &ScheduleCall) -> Result<ScheduleCall> {
        let mut args = Vec::new();
        for (n, arg) in call.args.iter().enumerate() {
            match (arg, call.name.text.as_str()) {
                (Arg::Set(all), _) => {
                    let all: Vec<Name> = all.iter().flat_map(|name| self.variables(p, name)).collect();
                    args.push(Arg::Set(all));
                }
                (arg, "reorder") => args.extend(self.reorder_pieces(p, call, &args_before(call, n), arg)?),
                (arg, "parallelize") => args.push(self.one(p, arg, <[Name]>::first)),
                (arg, _) => args.push(self.one(p, arg, <[Name]>::last)),
            }
        }
        Ok(ScheduleCall { args, ..call.clone() })
    }
    /// The variables of a name, itself where nothing is known of it.
    fn variables(&self, p: &Program, name: &Name) -> Vec<Name> {
        match self.find(&name.text) {
            Some(known) => known.spell(p, name.span),
            None => vec![name.clone()],
        }
    }
    fn one(&self, p: &Program, arg: &Arg, which: fn(&[Name]) -> Option<&Name>) -> Arg {
        let Some(known) = arg.name().and_then(|n| Some((self.find(&n.text)?, n.span))) else {
            return arg.clone();
        };
        which(&known.0.spell(p, known.1)).map_or(arg.clone(), |name| Arg::Expr(bare(name.clone())))
    }
    /// What stands for one argument of `reorder`: pieces for all rounds, and nothing for the rounds within.
    fn reorder_pieces(
        &self,
        p: &Program,
        call: &ScheduleCall,
        before: &[&Name],
        arg: &Arg,
    ) -> Result<Vec<Arg>> {
        let Some(name) = arg.name() else { return Ok(vec![arg.clone()]) };
        let Some(known) = self.find(&name.text) else { return Ok(vec![arg.clone()]) };
        let other = |rounds: Rounds| {
            self.0.iter().find(|k| k.rounds == rounds && k.vars == known.vars).map(|k| k.name.as_str())
        };
        let named = |name: Option<&str>, all: &[&Name]| all.iter().any(|n| Some(n.text.as_str()) == name);
        let all: Vec<&Name> = call.args.iter().filter_map(Arg::name).collect();
        if known.rounds == Rounds::Within {
            if named(other(Rounds::Pieces), before) {
                return Ok(Vec::new());
            }
            if named(other(Rounds::Pieces), &all) {
                let message = format!("`{}` is a position within a piece, which is found first", name.text);
                return Err(call.unsupported_error(name.span, message, "name the pieces before it"));
            }
        }
        Ok(known.spell(p, name.span).into_iter().map(|n| Arg::Expr(bare(n))).collect())
    }
}

/// The names in front of an argument.
fn args_before(call: &ScheduleCall, n: usize) -> Vec<&Name> {
    call.args[..n].iter().filter_map(Arg::name).collect()
}

impl LoopName {
    /// Its variables as names at a place.
    fn spell(&self, p: &Program, span: Span) -> Vec<Name> {
        self.vars.iter().map(|&v| Name { text: p.indices[v].name.clone(), span }).collect()
    }
}

fn bare(name: Name) -> Syntax {
    Syntax::Tensor(TensorRef::bare(name))
}

/// Whether loops over these variables are right inside each other somewhere, in this order.
fn adjacent(s: &CinStmt, vars: &[IndexId]) -> bool {
    let mut found = false;
    s.visit(&mut |s| {
        if let CinStmt::Forall { .. } = s {
            found |= nest(s).0.starts_with(vars);
        }
    });
    found
}

/// Checks that loops over these variables walk what the tensor stores, and nothing else.
fn walks(p: &Program, call: &ScheduleCall, vars: &[IndexId], written: &TensorRef) -> Result<()> {
    let tensor = call.tensor(p, &written.name)?;
    let body = p.body.assignments();
    let reads: Vec<&Access> = body.iter().flat_map(|(_, _, rhs)| rhs.accesses()).collect();
    let stored = |a: &Access, v: IndexId| {
        let format = &p.tensors[a.tensor].format;
        (0..format.depth())
            .any(|k| format.levels[k].spec.coords != Coords::Every && a.vars[format.modes[k]] == v)
    };
    let Some(own) = reads.iter().find(|a| a.tensor == tensor && vars.iter().all(|v| a.vars.contains(v)))
    else {
        let all: Vec<&str> = vars.iter().map(|v| p.indices[*v].name.as_str()).collect();
        let message = format!("`{}` is not read at {}", written.name.text, all.join(" and "));
        return Err(call.refusal(written.span, message, "name a tensor that the loop walks"));
    };
    let last = vars[vars.len() - 1];
    if !vars.iter().any(|v| stored(own, *v)) {
        let message = format!(
            "{} stores every value of `{}`, so it has no positions of its own",
            names(p).access(own),
            p.indices[last].name
        );
        return Err(call.refusal(written.span, message, "leave the command out"));
    }
    let other = reads.iter().find(|a| **a != *own && vars.iter().any(|v| stored(a, *v) && stored(own, *v)));
    match other {
        None => Ok(()),
        Some(other) => {
            let message = format!(
                "the loop over `{}` meets {} as well, so its rounds are not the positions of one",
                p.indices[last].name,
                names(p).access(other)
            );
            Err(call.unsupported_error(call.span, message, "leave the command out: the two are merged"))
        }
    }
}
