//! Typed expressions over tensors and index variables, shared by checked index notation and CIN.

use crate::asked::note_fill;
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
pub enum TensorKind {
    /// Read; bound by the caller.
    Operand,
    /// Computed; handed to the caller.
    Result,
    /// Made and used inside the program; `fill` is its first value. A sparse one takes elements in any order and is read
    /// like a compressed tensor.
    Temp,
    /// The coordinates for which a comparison holds; nothing is kept of them ([`IndexExpr::Predicate`]).
    Predicate,
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
pub struct TensorVar {
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
    pub kind: TensorKind,
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
pub struct IndexVar {
    /// Its name.
    pub name: String,
    /// How many values it takes, where that is known before the operands are bound.
    pub size: Option<usize>,
    /// Where it was first written.
    pub span: Span,
    /// How it is computed, when it stands for a computed coordinate of a lifted tensor.
    pub derived: Option<DerivedVar>,
    /// Whether it stands for a position that the statement computes: the coordinate that is nearest to the value of `e` in a
    /// comparison `v == e` that the statement has, or the only one that there is.
    pub positional: bool,
    /// Whether it is of a mode of the result that is written where a value says, as in `y(p(i)) += x(i)`, or what a sum was
    /// [solved](crate::plan::solving) for. It is compared with that value, inside of the loops over what says it.
    pub scattered: bool,
    /// Whether no operand says its size, which is that of a declared result.
    pub declared: bool,
    /// What is known of the value that it is compared with, where it is [positional](IndexVar::positional).
    pub reach: PositionReach,
    /// The shapes from which its size follows: a kernel for them runs on no others.
    pub made_for: Arc<[GivenShape]>,
    /// The variable of which it is another binding: both take as many values.
    pub like: Option<IndexId>,
}

/// Whether a position is a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionReach {
    /// Operands say.
    Unknown,
    /// Wherever it is needed: what is read is chosen where it is one.
    WhereNeeded,
    /// Everywhere, as the ranges of the variables and the [shapes](IndexVar::made_for) of the operands say.
    Always,
}

/// The shape of what the caller gives under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenShape {
    /// The name.
    pub name: String,
    /// The size of each mode.
    pub shape: Vec<usize>,
}

/// Whether a computed coordinate or a position has one value wherever these variables have theirs.
pub fn follows(v: IndexId, from: &[IndexId], indices: &Arena<IndexId, IndexVar>) -> bool {
    let derived = indices[v].derived.as_ref();
    indices[v].positional || derived.is_some_and(|d| d.depends_on().iter().all(|m| from.contains(m)))
}

/// Whether an element with these variables is assigned once in a loop over `v`, which is one of the loops around it: it is in
/// the element, or follows from that and from positions that are known outside of its loop.
pub fn is_assigned_once(
    v: IndexId,
    element: &[IndexId],
    around: &[IndexId],
    indices: &Arena<IndexId, IndexVar>,
) -> bool {
    let outside = around.iter().copied().take_while(|u| *u != v).filter(|u| indices[*u].positional);
    let known: Vec<IndexId> = element.iter().copied().chain(outside).collect();
    element.contains(&v) || follows(v, &known, indices)
}

/// An index variable that stands for a computed coordinate: statements run only where it has the value that the
/// modes give it. A counter has one value for every element, which nothing but the tensor's storage knows.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedVar {
    /// The remapping.
    pub remap: Arc<Remap>,
    /// Which of its coordinates.
    pub coord: usize,
    /// The variable of every coordinate of the remapping.
    pub vars: Vec<IndexId>,
}

impl DerivedVar {
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

impl TensorVar {
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

/// An expression; every node has one dtype (see [`IndexExpr::dtype`]).
#[derive(Clone, Debug, PartialEq)]
pub enum IndexExpr {
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
        args: Vec<IndexExpr>,
    },
    /// A conversion.
    Cast {
        /// The new dtype.
        to: DType,
        /// What to convert.
        arg: Box<IndexExpr>,
    },
    /// `map(A(i,j), e)`: `e` where the tensor stores an element; nothing is combined or assigned elsewhere (formats
    /// thesis, §6.2.3.2). Only as the whole value of an assignment in CIN.
    Map {
        /// The tensor.
        of: Access,
        /// The value.
        to: Box<IndexExpr>,
    },
    /// How many children the last level of a tensor stores under given coordinates, as `i64`: the `B'` of table 6.2. The
    /// variable of that level need not be bound.
    Width(Access),
    /// `beside(e, Z(i))`: `e`, which is to be visited where `Z` stores something as well ([`crate::assume`]).
    Beside {
        /// The value.
        value: Box<IndexExpr>,
        /// Where else it may not be what it is outside.
        at: Access,
    },
    /// A comparison of index variables, which holds where a set of kind [`TensorKind::Predicate`] has a coordinate. Only in CIN
    /// that is about to be lowered.
    Predicate {
        /// The set: its last variable is bound inside of the others.
        set: Access,
        /// The comparison.
        holds: Box<IndexExpr>,
    },
    /// `stored(e)`, `stored(e, f)`: `f` where an operand leads to a value of `e`; nothing is combined elsewhere. Only as the
    /// whole value of an assignment in CIN.
    Stored {
        /// Says where.
        of: Box<IndexExpr>,
        /// The value.
        to: Box<IndexExpr>,
    },
    /// What a reduction over variables comes to, of which `folded` has what is stored, at `visited` coordinates, and all others
    /// have one value ([`crate::plan`]).
    WithFill {
        /// The operator that reduces.
        op: &'static Operator,
        /// What stored values come to.
        folded: Box<IndexExpr>,
        /// How many coordinates they have, as `i64`.
        visited: Box<IndexExpr>,
        /// The variables that are reduced over.
        vars: Vec<IndexId>,
        /// The value elsewhere: of constants, and of what reductions over nothing but constants come to.
        fill: Box<IndexExpr>,
    },
    /// A reduction over variables; only in index notation, never in CIN.
    Reduce {
        /// An operator that [reduces](Operator::reduces).
        op: &'static Operator,
        /// The variables, each over its whole range.
        vars: Vec<IndexId>,
        /// What is reduced.
        body: Box<IndexExpr>,
    },
}

impl IndexExpr {
    /// The dtype of the value.
    pub fn dtype(&self, tensors: &Arena<TensorId, TensorVar>) -> DType {
        match self {
            IndexExpr::Access(a) => tensors[a.tensor].dtype,
            IndexExpr::Literal(s) => s.dtype(),
            IndexExpr::Index(_) => DType::I64,
            IndexExpr::Call { op, args } => {
                let arg = args[args.len() - 1].dtype(tensors);
                op.prim.result(arg).expect("a checked expression applies operators where they are defined")
            }
            IndexExpr::Cast { to, .. } => *to,
            IndexExpr::Map { to, .. } => to.dtype(tensors),
            IndexExpr::Beside { value, .. } => value.dtype(tensors),
            IndexExpr::Predicate { .. } => DType::Bool,
            IndexExpr::Stored { to, .. } => to.dtype(tensors),
            IndexExpr::WithFill { fill, .. } => fill.dtype(tensors),
            IndexExpr::Width(_) => DType::I64,
            IndexExpr::Reduce { body, .. } => body.dtype(tensors),
        }
    }
    /// The direct subexpressions.
    pub fn children(&self) -> Few<&IndexExpr, std::slice::Iter<'_, IndexExpr>> {
        match self {
            IndexExpr::Access(_) | IndexExpr::Literal(_) | IndexExpr::Index(_) | IndexExpr::Width(_) => {
                Few::empty()
            }
            IndexExpr::Map { to, .. } => Few::from_parts([&**to]),
            IndexExpr::Beside { value, .. } => Few::from_parts([&**value]),
            IndexExpr::Predicate { holds, .. } => Few::from_parts([&**holds]),
            IndexExpr::Stored { of, to } => Few::from_parts([&**of, &**to]),
            IndexExpr::WithFill { folded, visited, fill, .. } => {
                Few::from_parts([&**folded, &**visited, &**fill])
            }
            IndexExpr::Call { args, .. } => Few::list(args),
            IndexExpr::Cast { arg, .. } => Few::from_parts([&**arg]),
            IndexExpr::Reduce { body, .. } => Few::from_parts([&**body]),
        }
    }
    /// Every access, left to right.
    pub fn accesses(&self) -> Vec<&Access> {
        let mut out = Vec::new();
        self.visit(&mut |e| {
            if let IndexExpr::Access(a)
            | IndexExpr::Map { of: a, .. }
            | IndexExpr::Width(a)
            | IndexExpr::Beside { at: a, .. }
            | IndexExpr::Predicate { set: a, .. } = e
            {
                out.push(a);
            }
        });
        out
    }
    /// Calls `f` on this expression and every one below it, parents first.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a IndexExpr)) {
        f(self);
        for child in self.children() {
            child.visit(f);
        }
    }
    /// The expression with another access in its topmost node, if that has one.
    pub fn with_access(self, other: &dyn Fn(Access) -> Access) -> IndexExpr {
        match self {
            IndexExpr::Access(a) => IndexExpr::Access(other(a)),
            IndexExpr::Width(a) => IndexExpr::Width(other(a)),
            IndexExpr::Map { of, to } => IndexExpr::Map { of: other(of), to },
            IndexExpr::Beside { value, at } => IndexExpr::Beside { value, at: other(at) },
            IndexExpr::Predicate { set, holds } => IndexExpr::Predicate { set: other(set), holds },
            e @ (IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Call { .. }
            | IndexExpr::Cast { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Reduce { .. }) => e,
        }
    }
    /// The expression with other variables in its topmost node; those that a reduction binds stay.
    pub fn with_vars(self, other: &dyn Fn(IndexId) -> IndexId) -> IndexExpr {
        match self {
            IndexExpr::Index(v) => IndexExpr::Index(other(v)),
            e => e.with_access(&|a| a.with_vars(other)),
        }
    }
    /// Rebuilds the expression with `f` applied to the direct subexpressions.
    pub fn map_children(self, f: &mut dyn FnMut(IndexExpr) -> IndexExpr) -> IndexExpr {
        match self {
            leaf @ (IndexExpr::Access(_)
            | IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Width(_)) => leaf,
            IndexExpr::Map { of, to } => IndexExpr::Map { of, to: Box::new(f(*to)) },
            IndexExpr::Beside { value, at } => IndexExpr::Beside { value: Box::new(f(*value)), at },
            IndexExpr::Predicate { set, holds } => IndexExpr::Predicate { set, holds: Box::new(f(*holds)) },
            IndexExpr::Call { op, args } => IndexExpr::Call { op, args: args.into_iter().map(f).collect() },
            IndexExpr::Stored { of, to } => IndexExpr::Stored { of: Box::new(f(*of)), to: Box::new(f(*to)) },
            IndexExpr::WithFill { op, folded, visited, vars, fill } => {
                let (folded, visited, fill) =
                    (Box::new(f(*folded)), Box::new(f(*visited)), Box::new(f(*fill)));
                IndexExpr::WithFill { op, folded, visited, vars, fill }
            }
            IndexExpr::Cast { to, arg } => IndexExpr::Cast { to, arg: Box::new(f(*arg)) },
            IndexExpr::Reduce { op, vars, body } => IndexExpr::Reduce { op, vars, body: Box::new(f(*body)) },
        }
    }
    /// The variables that occur and are not bound by a reduction inside, in order of first appearance.
    pub fn free_vars(&self) -> Vec<IndexId> {
        fn go(e: &IndexExpr, bound: &mut Vec<IndexId>, out: &mut Vec<IndexId>) {
            let see = |v: IndexId, bound: &[IndexId], out: &mut Vec<IndexId>| {
                if !bound.contains(&v) && !out.contains(&v) {
                    out.push(v);
                }
            };
            match e {
                IndexExpr::Access(a) | IndexExpr::Width(a) => a.vars.iter().for_each(|&v| see(v, bound, out)),
                IndexExpr::Map { of, to }
                | IndexExpr::Beside { value: to, at: of }
                | IndexExpr::Predicate { holds: to, set: of } => {
                    of.vars.iter().for_each(|&v| see(v, bound, out));
                    go(to, bound, out);
                }
                IndexExpr::Index(v) => see(*v, bound, out),
                IndexExpr::Literal(_)
                | IndexExpr::Call { .. }
                | IndexExpr::Cast { .. }
                | IndexExpr::Stored { .. }
                | IndexExpr::WithFill { .. } => {
                    e.children().for_each(|c| go(c, bound, out));
                }
                IndexExpr::Reduce { vars, body, .. } => {
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
    /// The variable and the value of a comparison `v == e`.
    pub fn as_position(&self) -> Option<(IndexId, &IndexExpr)> {
        let IndexExpr::Call { op, args } = self else { return None };
        let [IndexExpr::Index(v), value] = &args[..] else { return None };
        (op.prim == Prim::Eq).then_some((*v, value))
    }
    /// The value that a comparison says a variable is, on whichever side that stands.
    pub fn equated_value(&self, v: IndexId) -> Option<&IndexExpr> {
        let IndexExpr::Call { op, args } = self else { return None };
        let [a, b] = &args[..] else { return None };
        let says = |side: &IndexExpr, other: &IndexExpr| *side == IndexExpr::Index(v) && !other.mentions(v);
        match op.prim == Prim::Eq {
            true if says(a, b) => Some(b),
            true if says(b, a) => Some(a),
            true | false => None,
        }
    }
    /// The value without which of a variable the expression is idle: what a mask or a factor compares it with.
    pub fn located_value(&self, v: IndexId) -> Option<&IndexExpr> {
        match self {
            IndexExpr::Cast { arg, .. } => arg.located_value(v),
            IndexExpr::Predicate { holds, .. } => holds.located_value(v),
            IndexExpr::Call { op, args } if op.is_mask() => args[0].located_value(v),
            IndexExpr::Call { op, args } if matches!(op.prim, Prim::And | Prim::Mul) => {
                args.iter().find_map(|a| a.located_value(v))
            }
            IndexExpr::Call { .. } => self.equated_value(v),
            IndexExpr::Access(_)
            | IndexExpr::Literal(_)
            | IndexExpr::Index(_)
            | IndexExpr::Width(_)
            | IndexExpr::Map { .. }
            | IndexExpr::Beside { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Reduce { .. } => None,
        }
    }
    /// Whether a condition says nothing but where operands are read.
    pub fn says_positions(&self, indices: &Arena<IndexId, IndexVar>) -> bool {
        if let IndexExpr::Predicate { holds, .. } = self {
            return holds.says_positions(indices);
        }
        if let IndexExpr::Call { op, args } = self
            && op.prim == Prim::And
        {
            return args.iter().all(|a| a.says_positions(indices));
        }
        self.as_position().is_some_and(|(v, _)| indices[v].positional)
    }
    /// Whether nothing has to be searched for, or reduced, for its value: it reads dense operands and temporaries.
    pub fn is_known_outside(&self, tensors: &Arena<TensorId, TensorVar>) -> bool {
        match self {
            IndexExpr::Access(a) => {
                let t = &tensors[a.tensor];
                let dense = t.format.is_dense() && t.format.levels.iter().all(|l| l.is_dense());
                matches!(t.kind, TensorKind::Operand | TensorKind::Temp) && dense && t.remap.is_none()
            }
            IndexExpr::Literal(_) | IndexExpr::Index(_) => true,
            IndexExpr::Cast { .. } | IndexExpr::Call { .. } => {
                self.children().all(|c| c.is_known_outside(tensors))
            }
            IndexExpr::Map { .. }
            | IndexExpr::Width(_)
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Reduce { .. } => false,
        }
    }
    /// The value that a comparison in the expression says a [positional](IndexVar::positional) variable is.
    pub fn position_of(&self, v: IndexId) -> Option<&IndexExpr> {
        match self.as_position() {
            Some((u, value)) if u == v => Some(value),
            _ => self.children().find_map(|c| c.position_of(v)),
        }
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
pub fn fill_of(e: &IndexExpr, tensors: &Arena<TensorId, TensorVar>) -> Option<Scalar> {
    note_fill(e, tensors);
    fill_inside(e, tensors)
}

fn fill_inside(e: &IndexExpr, tensors: &Arena<TensorId, TensorVar>) -> Option<Scalar> {
    match e {
        IndexExpr::Access(a) => {
            let t = &tensors[a.tensor];
            (t.kind != TensorKind::Temp && !t.format.is_full()).then_some(t.fill)
        }
        IndexExpr::Literal(s) => Some(*s),
        IndexExpr::Index(_) | IndexExpr::Width(_) | IndexExpr::Stored { .. } | IndexExpr::WithFill { .. } => {
            None
        }
        IndexExpr::Map { to, .. } => Some(Scalar::zero(to.dtype(tensors))),
        IndexExpr::Beside { value, .. } => fill_inside(value, tensors),
        IndexExpr::Predicate { .. } => Some(Scalar::Bool(false)),
        IndexExpr::Cast { to, arg } => fill_inside(arg, tensors).map(|s| s.cast(*to)),
        IndexExpr::Call { op, args } => {
            let fills: Vec<Option<Scalar>> = args.iter().map(|a| fill_inside(a, tensors)).collect();
            fill_of_call(op, &fills)
        }
        IndexExpr::Reduce { op, body, .. } => {
            let fill = fill_inside(body, tensors)?;
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
