//! Typed expressions over tensors and index variables, shared by checked index notation and CIN.

use crate::window::Window;
use openwork_algebra::{DType, Operator, Prim, Scalar};
use openwork_base::{Arena, Few, Span, typed_id};
use openwork_format::{Format, Remap};
use std::sync::Arc;

typed_id!(
    /// A tensor of a program.
    pub struct TensorId, "t"
);
typed_id!(
    /// An index variable of a program.
    pub struct IndexId, "i"
);

/// The kind of a tensor: where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Read; bound by the caller.
    Operand,
    /// Computed; handed to the caller.
    Result,
    /// Made and used inside the program; `fill` is its first value. A sparse one takes elements in any order and is read
    /// like a compressed tensor.
    Temp,
}

/// What an operand has of each element that the caller gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holds {
    /// Its value.
    Values,
    /// That it is stored, whatever its value: `structure(A(i,j))`.
    Structure,
}

/// A tensor as programs see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// The name under which the caller gives it; differs for the old value of a result.
    pub given: String,
    /// Element type.
    pub dtype: DType,
    /// How it is stored. Once a tensor is [lifted](crate::plan::lift), one mode per stored coordinate.
    pub format: Format,
    /// How the stored coordinates of a lifted tensor are computed.
    pub remap: Option<Arc<Remap>>,
    /// The value of coordinates that are not stored; for a temporary, its first value.
    pub fill: Scalar,
    /// Where it comes from.
    pub kind: Kind,
    /// How many values an operand stores, where known; for estimates only.
    pub stored: Option<usize>,
    /// The part of each mode of what the caller gives that the operand is; nothing where it is all of it.
    pub windows: Vec<Window>,
    /// What it has of their elements.
    pub holds: Holds,
    /// How many elements it would store in a format that lists them, where known; for estimates only.
    pub elements: Option<usize>,
}

/// An index variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// How many values it takes, where that is known before the operands are bound.
    pub size: Option<usize>,
    /// Where it was first written.
    pub span: Span,
    /// How it is computed, when it stands for a computed coordinate of a lifted tensor.
    pub derived: Option<Derived>,
}

/// An index variable that stands for a computed coordinate: statements run only where it has the value that the
/// modes give it. A counter has one value for every element, which nothing but the tensor's storage knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// The remapping.
    pub remap: Arc<Remap>,
    /// Which of its coordinates.
    pub coord: usize,
    /// The variable of every coordinate of the remapping.
    pub vars: Vec<IndexId>,
}

impl Derived {
    /// The variable of a mode.
    pub fn mode(&self, mode: usize) -> IndexId {
        let k = self.remap.coords.iter().position(|c| c.plain() == Some(mode));
        self.vars[k.expect("every mode of a complete remapping is stored")]
    }
    /// The variables of all modes.
    pub fn modes(&self) -> Vec<IndexId> {
        (0..self.remap.rank()).map(|m| self.mode(m)).collect()
    }
    /// Whether it counts elements.
    pub fn counts(&self) -> bool {
        !self.remap.coords[self.coord].counters().is_empty()
    }
    /// The variables whose values decide this one's.
    pub fn depends_on(&self) -> Vec<IndexId> {
        if self.counts() {
            return self.modes();
        }
        self.remap.coords[self.coord].inline_locals().modes().into_iter().map(|m| self.mode(m)).collect()
    }
    /// The value at given values of the modes.
    pub fn value(&self, at: &dyn Fn(IndexId) -> i64) -> i64 {
        fn go(t: &openwork_format::remap::Term, at: &dyn Fn(usize) -> i64) -> i64 {
            use openwork_format::remap::Term;
            match t {
                Term::Const(c) => *c,
                Term::Mode(m) => at(*m),
                Term::Binary(op, a, b) => op.apply(go(a, at), go(b, at)),
                Term::Local(_) | Term::Counter(_) => unreachable!("inlined, and no counter"),
            }
        }
        go(&self.remap.coords[self.coord].inline_locals(), &|m| at(self.mode(m)))
    }
}

impl Tensor {
    /// Whether it is a part of what the caller gives, which keeps the structure of the whole.
    pub fn is_windowed(&self) -> bool {
        !self.windows.is_empty()
    }
    /// Whether it is the structure of what the caller gives.
    pub fn is_structure(&self) -> bool {
        self.holds == Holds::Structure
    }
    /// The format as it was declared.
    pub fn declared_format(&self) -> Format {
        Format { remap: self.remap.clone(), ..self.format.clone() }
    }
    /// The variables of the modes of an access to this tensor.
    pub fn mode_vars(&self, a: &Access) -> Vec<IndexId> {
        match &self.remap {
            None => a.vars.clone(),
            Some(remap) => {
                let level = |m| remap.coords.iter().position(|c| c.plain() == Some(m));
                (0..remap.rank()).filter_map(|m| level(m).map(|k| a.vars[k])).collect()
            }
        }
    }
}

/// `A(i,j)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Access {
    /// The tensor.
    pub tensor: TensorId,
    /// One variable per mode.
    pub vars: Vec<IndexId>,
}

impl Access {
    /// The access with other variables.
    pub fn with_vars(self, other: &dyn Fn(IndexId) -> IndexId) -> Access {
        Access { vars: self.vars.into_iter().map(other).collect(), ..self }
    }
}

/// An expression; every node has one dtype (see [`Expr::dtype`]).
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A tensor element.
    Access(Access),
    /// A constant.
    Literal(Scalar),
    /// The value of an index variable, as `i64`.
    Index(IndexId),
    /// An operator; its arguments have one dtype.
    Call {
        /// The operator.
        op: &'static Operator,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// A conversion.
    Cast {
        /// The new dtype.
        to: DType,
        /// What to convert.
        arg: Box<Expr>,
    },
    /// `map(A(i,j), e)`: `e` where the tensor stores an element; nothing is combined or assigned elsewhere (formats
    /// thesis, §6.2.3.2). Only as the whole value of an assignment in CIN.
    Map {
        /// The tensor.
        of: Access,
        /// The value.
        to: Box<Expr>,
    },
    /// How many children the last level of a tensor stores under given coordinates, as `i64`: the `B'` of table 6.2. The
    /// variable of that level need not be bound.
    Width(Access),
    /// `beside(e, Z(i))`: `e`, which is to be visited where `Z` stores something as well ([`crate::assume`]).
    Beside {
        /// The value.
        value: Box<Expr>,
        /// Where else it may not be what it is outside.
        at: Access,
    },
    /// `stored(e)`, `stored(e, f)`: `f` where an operand leads to a value of `e`; nothing is combined elsewhere. Only as the
    /// whole value of an assignment in CIN.
    Stored {
        /// Says where.
        of: Box<Expr>,
        /// The value.
        to: Box<Expr>,
    },
    /// What a reduction over variables comes to, of which `folded` has what is stored, at `visited` coordinates, and all others
    /// have one value ([`crate::plan`]).
    WithFill {
        /// The operator that reduces.
        op: &'static Operator,
        /// What stored values come to.
        folded: Box<Expr>,
        /// How many coordinates they have, as `i64`.
        visited: Box<Expr>,
        /// The variables that are reduced over.
        vars: Vec<IndexId>,
        /// The value elsewhere: of constants, and of what reductions over nothing but constants come to.
        fill: Box<Expr>,
    },
    /// A reduction over variables; only in index notation, never in CIN.
    Reduce {
        /// An operator that [reduces](Operator::reduces).
        op: &'static Operator,
        /// The variables, each over its whole range.
        vars: Vec<IndexId>,
        /// What is reduced.
        body: Box<Expr>,
    },
}

impl Expr {
    /// The dtype of the value.
    pub fn dtype(&self, tensors: &Arena<TensorId, Tensor>) -> DType {
        match self {
            Expr::Access(a) => tensors[a.tensor].dtype,
            Expr::Literal(s) => s.dtype(),
            Expr::Index(_) => DType::I64,
            Expr::Call { op, args } => {
                let arg = args[args.len() - 1].dtype(tensors);
                op.prim.result(arg).expect("a checked expression applies operators where they are defined")
            }
            Expr::Cast { to, .. } => *to,
            Expr::Map { to, .. } => to.dtype(tensors),
            Expr::Beside { value, .. } => value.dtype(tensors),
            Expr::Stored { to, .. } => to.dtype(tensors),
            Expr::WithFill { fill, .. } => fill.dtype(tensors),
            Expr::Width(_) => DType::I64,
            Expr::Reduce { body, .. } => body.dtype(tensors),
        }
    }
    /// The direct subexpressions.
    pub fn children(&self) -> Few<&Expr, std::slice::Iter<'_, Expr>> {
        match self {
            Expr::Access(_) | Expr::Literal(_) | Expr::Index(_) | Expr::Width(_) => Few::empty(),
            Expr::Map { to, .. } => Few::from_parts([&**to]),
            Expr::Beside { value, .. } => Few::from_parts([&**value]),
            Expr::Stored { of, to } => Few::from_parts([&**of, &**to]),
            Expr::WithFill { folded, visited, fill, .. } => Few::from_parts([&**folded, &**visited, &**fill]),
            Expr::Call { args, .. } => Few::list(args),
            Expr::Cast { arg, .. } => Few::from_parts([&**arg]),
            Expr::Reduce { body, .. } => Few::from_parts([&**body]),
        }
    }
    /// Every access, left to right.
    pub fn accesses(&self) -> Vec<&Access> {
        let mut out = Vec::new();
        self.visit(&mut |e| {
            if let Expr::Access(a) | Expr::Map { of: a, .. } | Expr::Width(a) | Expr::Beside { at: a, .. } = e
            {
                out.push(a);
            }
        });
        out
    }
    /// Calls `f` on this expression and every one below it, parents first.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        f(self);
        for child in self.children() {
            child.visit(f);
        }
    }
    /// The expression with another access in its topmost node, if that has one.
    pub fn with_access(self, other: &dyn Fn(Access) -> Access) -> Expr {
        match self {
            Expr::Access(a) => Expr::Access(other(a)),
            Expr::Width(a) => Expr::Width(other(a)),
            Expr::Map { of, to } => Expr::Map { of: other(of), to },
            Expr::Beside { value, at } => Expr::Beside { value, at: other(at) },
            e @ (Expr::Literal(_)
            | Expr::Index(_)
            | Expr::Call { .. }
            | Expr::Cast { .. }
            | Expr::Stored { .. }
            | Expr::WithFill { .. }
            | Expr::Reduce { .. }) => e,
        }
    }
    /// The expression with other variables in its topmost node; those that a reduction binds stay.
    pub fn with_vars(self, other: &dyn Fn(IndexId) -> IndexId) -> Expr {
        match self {
            Expr::Index(v) => Expr::Index(other(v)),
            e => e.with_access(&|a| a.with_vars(other)),
        }
    }
    /// Rebuilds the expression with `f` applied to the direct subexpressions.
    pub fn map_children(self, f: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        match self {
            leaf @ (Expr::Access(_) | Expr::Literal(_) | Expr::Index(_) | Expr::Width(_)) => leaf,
            Expr::Map { of, to } => Expr::Map { of, to: Box::new(f(*to)) },
            Expr::Beside { value, at } => Expr::Beside { value: Box::new(f(*value)), at },
            Expr::Call { op, args } => Expr::Call { op, args: args.into_iter().map(f).collect() },
            Expr::Stored { of, to } => Expr::Stored { of: Box::new(f(*of)), to: Box::new(f(*to)) },
            Expr::WithFill { op, folded, visited, vars, fill } => {
                let (folded, visited, fill) =
                    (Box::new(f(*folded)), Box::new(f(*visited)), Box::new(f(*fill)));
                Expr::WithFill { op, folded, visited, vars, fill }
            }
            Expr::Cast { to, arg } => Expr::Cast { to, arg: Box::new(f(*arg)) },
            Expr::Reduce { op, vars, body } => Expr::Reduce { op, vars, body: Box::new(f(*body)) },
        }
    }
    /// The variables that occur and are not bound by a reduction inside, in order of first appearance.
    pub fn free_vars(&self) -> Vec<IndexId> {
        fn go(e: &Expr, bound: &mut Vec<IndexId>, out: &mut Vec<IndexId>) {
            let see = |v: IndexId, bound: &[IndexId], out: &mut Vec<IndexId>| {
                if !bound.contains(&v) && !out.contains(&v) {
                    out.push(v);
                }
            };
            match e {
                Expr::Access(a) | Expr::Width(a) => a.vars.iter().for_each(|&v| see(v, bound, out)),
                Expr::Map { of, to } | Expr::Beside { value: to, at: of } => {
                    of.vars.iter().for_each(|&v| see(v, bound, out));
                    go(to, bound, out);
                }
                Expr::Index(v) => see(*v, bound, out),
                Expr::Literal(_)
                | Expr::Call { .. }
                | Expr::Cast { .. }
                | Expr::Stored { .. }
                | Expr::WithFill { .. } => {
                    e.children().for_each(|c| go(c, bound, out));
                }
                Expr::Reduce { vars, body, .. } => {
                    let depth = bound.len();
                    bound.extend(vars);
                    go(body, bound, out);
                    bound.truncate(depth);
                }
            }
        }
        let mut out = Vec::new();
        go(self, &mut Vec::new(), &mut out);
        out
    }
    /// Whether variable `v` occurs free.
    pub fn mentions(&self, v: IndexId) -> bool {
        self.free_vars().contains(&v)
    }
}

/// The value an expression takes wherever no operand stores a coordinate, if that is one constant.
///
/// Operands whose format is full have no such place and make the answer unknown, except where an annihilator of
/// another argument decides the result (array-programming paper, §5.2).
pub fn fill_of(e: &Expr, tensors: &Arena<TensorId, Tensor>) -> Option<Scalar> {
    match e {
        Expr::Access(a) => {
            let t = &tensors[a.tensor];
            (t.kind != Kind::Temp && !t.format.is_full()).then_some(t.fill)
        }
        Expr::Literal(s) => Some(*s),
        Expr::Index(_) | Expr::Width(_) | Expr::Stored { .. } | Expr::WithFill { .. } => None,
        Expr::Map { to, .. } => Some(Scalar::zero(to.dtype(tensors))),
        Expr::Beside { value, .. } => fill_of(value, tensors),
        Expr::Cast { to, arg } => fill_of(arg, tensors).map(|s| s.cast(*to)),
        Expr::Call { op, args } => {
            let fills: Vec<Option<Scalar>> = args.iter().map(|a| fill_of(a, tensors)).collect();
            fill_of_call(op, &fills)
        }
        Expr::Reduce { op, body, .. } => {
            let fill = fill_of(body, tensors)?;
            op.identity_at(0, fill.dtype()).filter(|id| id.is_same(fill))
        }
    }
}

/// The fill of an operator's result from the fills of its arguments (`None`: unknown). What an operator assumes is taken to
/// hold.
pub fn fill_of_call(op: &Operator, fills: &[Option<Scalar>]) -> Option<Scalar> {
    if let (Prim::Select, [Some(Scalar::Bool(c)), yes, no]) = (op.prim, fills) {
        return if *c { *yes } else { *no };
    }
    if let (Prim::Select, [None, Some(yes), Some(no)]) = (op.prim, fills) {
        return Some(*yes).filter(|yes| yes.is_same(*no));
    }
    let dtype = fills.iter().flatten().next().map(|f| f.dtype());
    if let Some((_, outside)) = dtype.and_then(|dtype| op.space_for(fills, dtype)) {
        return Some(outside);
    }
    let decided = fills.iter().enumerate().find_map(|(n, fill)| {
        let fill = (*fill)?;
        op.annihilator_at(n, fill.dtype()).filter(|a| a.is_same(fill))
    });
    match fills.iter().copied().collect::<Option<Vec<Scalar>>>() {
        Some(all) if decided.is_none() || op.assumes.is_none() => op.eval(&all),
        _ => decided,
    }
}
