//! Statements as sums and products of accesses: what is needed to say the same in other words.

use super::Text;
use openwork::Source;
use openwork_index::notation::{Syntax, parse};
use std::fmt;

/// A tensor at some variables.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaAccess {
    pub name: String,
    pub vars: Vec<char>,
}

/// The right-hand side of a statement, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub enum FormulaNode {
    Access(FormulaAccess),
    Sum(Vec<FormulaNode>),
    Product(Vec<FormulaNode>),
    /// A reduction over a variable, by name.
    Reduce(String, char, Box<FormulaNode>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    pub target: FormulaAccess,
    pub rhs: FormulaNode,
}

/// One statement in two.
pub struct FormulaSplit {
    /// Computes a tensor, which the other one reads.
    pub first: Formula,
    pub rest: Formula,
}

/// The tensor between two statements: no operand has such a name, nor a copy of one.
const BETWEEN: &str = "Part";

impl Formula {
    /// Reads index notation.
    pub fn parse(text: &str) -> Text<Formula> {
        let parsed = parse(&Source::new("statement", text)).map_err(|e| e.to_string())?;
        let vars = |names: &[openwork_index::notation::Name]| {
            names.iter().map(|n| n.text.chars().next().unwrap_or('?')).collect()
        };
        let target = FormulaAccess { name: parsed.lhs.name.text.clone(), vars: vars(&parsed.lhs.indices) };
        Ok(Formula { target, rhs: node(&parsed.rhs)? })
    }
    /// Every variable, in order of appearance.
    pub fn vars(&self) -> Vec<char> {
        let mut out = self.target.vars.clone();
        self.rhs.vars().into_iter().for_each(|v| push(&mut out, v));
        out
    }
    /// The same with access number `n` to another tensor.
    pub fn rename(&self, n: usize, name: &str) -> Formula {
        let mut out = self.clone();
        let mut all = Vec::new();
        out.rhs.visit_accesses(&mut |a| all.push(a));
        all[n].name = name.into();
        out
    }
    /// Every way to compute a part of the statement first.
    pub fn splits(&self) -> Vec<FormulaSplit> {
        let cuts = cuts(&self.rhs, &self.target.vars, true);
        let split = |(part, kept, rest): (FormulaNode, Vec<char>, FormulaNode)| {
            let target = FormulaAccess { name: BETWEEN.into(), vars: kept };
            let first = Formula { target, rhs: part };
            FormulaSplit { first, rest: Formula { target: self.target.clone(), rhs: rest } }
        };
        cuts.into_iter().map(split).collect()
    }
    /// The same with products of sums written as sums of products, where there are any.
    pub fn distribute(&self) -> Option<Formula> {
        let FormulaNode::Product(factors) = &self.rhs else { return None };
        let at = factors.iter().position(|f| matches!(f, FormulaNode::Sum(_)))?;
        let FormulaNode::Sum(terms) = &factors[at] else { return None };
        let term = |t: &FormulaNode| {
            let mut all = factors.clone();
            all[at] = t.clone();
            FormulaNode::Product(all)
        };
        Some(Formula { target: self.target.clone(), rhs: FormulaNode::Sum(terms.iter().map(term).collect()) })
    }
    /// Parts that could be computed into a workspace, with the variables that it could be over.
    pub fn parts(&self) -> Vec<(FormulaNode, Vec<char>)> {
        let own: Vec<char> = self.rhs.vars().into_iter().filter(|v| self.target.vars.contains(v)).collect();
        let mut out = vec![(self.rhs.clone(), own)];
        out.extend(cuts(&self.rhs, &self.target.vars, true).into_iter().map(|(part, kept, _)| (part, kept)));
        out
    }
}

fn node(s: &Syntax) -> Text<FormulaNode> {
    match s {
        Syntax::Tensor(t) => {
            let vars = t.indices.iter().filter_map(|n| n.text.chars().next()).collect();
            Ok(FormulaNode::Access(FormulaAccess { name: t.name.text.clone(), vars }))
        }
        Syntax::Op { op, args, .. } => {
            let args = args.iter().map(node).collect::<Text<Vec<_>>>()?;
            match op.symbol {
                Some("+") => Ok(FormulaNode::Sum(flat(args, |n| matches!(n, FormulaNode::Sum(_))))),
                Some("*") => Ok(FormulaNode::Product(flat(args, |n| matches!(n, FormulaNode::Product(_))))),
                _ => Err(format!("{} has no place in the corpus", op.name)),
            }
        }
        Syntax::Apply { name, args, .. } => match &args[..] {
            [Syntax::Tensor(var), body] if var.bare => {
                let var = var.name.text.chars().next().unwrap_or('?');
                Ok(FormulaNode::Reduce(name.text.clone(), var, Box::new(node(body)?)))
            }
            _ => Err(format!("{} has no place in the corpus", name.text)),
        },
        Syntax::Number(_) => Err("numbers have no place in the corpus".into()),
    }
}

/// Sums of sums as one sum, and products alike.
fn flat(args: Vec<FormulaNode>, same: fn(&FormulaNode) -> bool) -> Vec<FormulaNode> {
    let mut out = Vec::new();
    for n in args {
        match n {
            FormulaNode::Sum(ref inner) | FormulaNode::Product(ref inner) if same(&n) => {
                out.extend(inner.iter().cloned())
            }
            other => out.push(other),
        }
    }
    out
}

fn push(out: &mut Vec<char>, v: char) {
    if !out.contains(&v) {
        out.push(v);
    }
}

impl FormulaNode {
    /// Every access, left to right.
    pub fn accesses(&self) -> Vec<&FormulaAccess> {
        match self {
            FormulaNode::Access(a) => vec![a],
            FormulaNode::Sum(all) | FormulaNode::Product(all) => {
                all.iter().flat_map(FormulaNode::accesses).collect()
            }
            FormulaNode::Reduce(_, _, body) => body.accesses(),
        }
    }
    fn visit_accesses<'a>(&'a mut self, f: &mut dyn FnMut(&'a mut FormulaAccess)) {
        match self {
            FormulaNode::Access(a) => f(a),
            FormulaNode::Sum(all) | FormulaNode::Product(all) => {
                all.iter_mut().for_each(|n| n.visit_accesses(f))
            }
            FormulaNode::Reduce(_, _, body) => body.visit_accesses(f),
        }
    }
    /// Every variable of its accesses, in order of appearance.
    pub fn vars(&self) -> Vec<char> {
        let mut out = Vec::new();
        self.accesses().iter().flat_map(|a| &a.vars).for_each(|&v| push(&mut out, v));
        out
    }
}

/// A part of an expression, the variables under which the rest reads it, and the rest.
type FormulaCut = (FormulaNode, Vec<char>, FormulaNode);

/// Factors of which every set is considered.
const MANY: usize = 8;

/// Every part of a node that can be a tensor of its own. `outer` are the variables around it; the whole of a statement is
/// no part.
fn cuts(n: &FormulaNode, outer: &[char], whole: bool) -> Vec<FormulaCut> {
    let (all, product) = match n {
        FormulaNode::Product(all) => (all, true),
        FormulaNode::Sum(all) => (all, false),
        FormulaNode::Access(_) | FormulaNode::Reduce(..) => return Vec::new(),
    };
    let node = |mut all: Vec<FormulaNode>| match (all.len(), product) {
        (1, _) => all.remove(0),
        (_, true) => FormulaNode::Product(all),
        (_, false) => FormulaNode::Sum(all),
    };
    let mut out = Vec::new();
    for chosen in choices(all.len()) {
        let taken = |at: usize| chosen >> at & 1 == 1;
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        all.iter()
            .enumerate()
            .for_each(|(at, n)| if taken(at) { &mut inside } else { &mut outside }.push(n.clone()));
        let mut around = outer.to_vec();
        if product {
            outside.iter().flat_map(FormulaNode::vars).for_each(|v| push(&mut around, v));
        }
        let part = node(inside.clone());
        let vars = part.vars();
        let kept: Vec<char> = vars.iter().copied().filter(|v| around.contains(v)).collect();
        let gains = inside.len() > 1
            || product && (kept.len() < vars.len() || !matches!(part, FormulaNode::Access(_)));
        if !gains || whole && outside.is_empty() {
            continue;
        }
        let mut rest = outside;
        let place = rest.len().min(all.iter().enumerate().take_while(|(at, _)| !taken(*at)).count());
        rest.insert(place, FormulaNode::Access(FormulaAccess { name: BETWEEN.into(), vars: kept.clone() }));
        out.push((part, kept, node(rest)));
    }
    for (at, child) in all.iter().enumerate() {
        let mut around = outer.to_vec();
        if product {
            let others = all.iter().enumerate().filter(|(n, _)| *n != at);
            others.flat_map(|(_, n)| n.vars()).for_each(|v| push(&mut around, v));
        }
        for (part, kept, rest) in cuts(child, &around, false) {
            let mut whole = all.clone();
            whole[at] = rest;
            out.push((part, kept, node(whole)));
        }
    }
    out
}

/// Which of so many neighbours are taken together, as bits: all sets of a few, of more those that stand beside each other.
fn choices(count: usize) -> Vec<usize> {
    if count <= MANY {
        return (1..1 << count).collect();
    }
    (0..count).flat_map(|from| (1..=count - from).map(move |taken| ((1 << taken) - 1) << from)).collect()
}

fn write_joined(all: &[FormulaNode], by: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (n, part) in all.iter().enumerate() {
        let (before, nested) =
            (if n > 0 { by } else { "" }, by == " * " && matches!(part, FormulaNode::Sum(_)));
        if nested { write!(f, "{before}({part})")? } else { write!(f, "{before}{part}")? }
    }
    Ok(())
}

impl fmt::Display for FormulaNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormulaNode::Access(a) => a.fmt(f),
            FormulaNode::Sum(all) => write_joined(all, " + ", f),
            FormulaNode::Product(all) => write_joined(all, " * ", f),
            FormulaNode::Reduce(by, var, body) => write!(f, "{by}({var}, {body})"),
        }
    }
}

impl fmt::Display for FormulaAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vars: Vec<String> = self.vars.iter().map(char::to_string).collect();
        if vars.is_empty() { f.write_str(&self.name) } else { write!(f, "{}({})", self.name, vars.join(",")) }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.target, self.rhs)
    }
}
