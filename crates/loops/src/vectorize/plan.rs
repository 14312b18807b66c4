//! The plan of an expansion: whether a loop may be expanded, and what in it becomes a vector.

use super::{Reassociate, VectorOptions, has_loop};
use crate::kinds::{StmtKind, read_buffer, read_place};
use crate::nodes::{BufId, Expr, LoopKernel, Stmt, Ty, VarId};
use crate::text::print_expr;
use crate::verify::reduces_in_lanes;
use crate::walk::{any_part, born_var, each_part, exprs, is_long, parts, set_var, substitute};
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::{IdMap, IdSet};

/// One statement of the body, understood.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A variable of the body gets a value for the first time.
    Let(VarId, Expr),
    /// … and again.
    Set(VarId, Expr),
    Store {
        buf: BufId,
        at: Expr,
        val: Expr,
        reduce: Option<Prim>,
    },
    /// A value joins the reduction with this number.
    Reduce(usize, Expr),
}

/// `var = prim(var, …)`, where `var` lives outside the loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorReduction {
    pub var: VarId,
    pub prim: Prim,
    pub elem: DType,
}

/// How to expand a loop.
#[derive(Clone, Debug)]
pub(super) struct VectorPlan {
    pub lanes: usize,
    /// Vectors per round of the main loop.
    pub copies: usize,
    pub items: Vec<Item>,
    pub reductions: Vec<VectorReduction>,
    pub facts: RoundFacts,
    /// Variables of the body that are needed as vectors.
    pub vectors: IdSet<VarId>,
    /// Variables of the body that are needed as one scalar per lane.
    pub scalars: IdSet<VarId>,
}

/// What may change from round to round.
#[derive(Clone, Debug)]
pub(crate) struct RoundFacts {
    pub var: VarId,
    /// The loop variable, and all that the body declares or sets.
    pub varying: IdSet<VarId>,
    /// Where each stored buffer is stored to.
    stores: IdMap<BufId, Expr>,
}

impl RoundFacts {
    /// What holds in a loop over `var` with this straight-line body, or why too little does.
    pub fn new(kernel: &LoopKernel, var: VarId, body: &[Stmt]) -> Result<RoundFacts, String> {
        let changing = body.iter().flat_map(|s| [born_var(s), set_var(s)]).flatten();
        let varying = changing.chain([var]).collect();
        Ok(RoundFacts { var, varying, stores: stores(kernel, body)? })
    }
    /// Whether `e` has the same value in every round.
    pub fn invariant(&self, e: &Expr) -> bool {
        !any_part(e, &|part| match part {
            Expr::Var(v) => self.varying.contains(v),
            part => read_buffer(part).is_some_and(|buf| self.stores.contains_key(&buf)),
        })
    }
    /// By how much an index grows from one round to the next, if by a constant.
    pub fn stride(&self, e: &Expr) -> Option<i64> {
        match e {
            Expr::Var(v) if *v == self.var => Some(1),
            e if self.invariant(e) => Some(0),
            Expr::Call { prim, args } => {
                let [a, b] = &args[..] else { return None };
                match (prim, a, b) {
                    (Prim::Add, _, _) => Some(self.stride(a)?.wrapping_add(self.stride(b)?)),
                    (Prim::Sub, _, _) => Some(self.stride(a)?.wrapping_sub(self.stride(b)?)),
                    (Prim::Mul, x, Expr::Const(Scalar::I64(n)))
                    | (Prim::Mul, Expr::Const(Scalar::I64(n)), x) => Some(self.stride(x)?.wrapping_mul(*n)),
                    (_, _, _) => None,
                }
            }
            _ => None,
        }
    }
}

/// Plans the expansion of a `for` loop, or says why it must be serial.
pub(super) fn plan(kernel: &LoopKernel, options: &VectorOptions, s: &Stmt) -> Result<VectorPlan, String> {
    let Stmt::For { var, lo: _, hi: _, step, mode: _, body } = s else {
        return Err("it is not a for loop".into());
    };
    if *step != 1 {
        return Err("its step is not 1".into());
    }
    if has_loop(body) {
        return Err("it is not an innermost loop".into());
    }
    let body = straighten(kernel, body)?;
    let locals: IdSet<VarId> = body.iter().filter_map(born_var).collect();
    let facts = RoundFacts::new(kernel, *var, &body)?;
    let mut p = VectorPlanner {
        k: kernel,
        facts,
        locals,
        reductions: Vec::new(),
        vectors: IdSet::default(),
        scalars: IdSet::default(),
        size: None,
        bytes: false,
    };
    let items = p.items(&body, options.reassociate)?;
    p.settle(&items)?;
    let size = p.size.or(p.bytes.then_some(1)).ok_or("there is nothing to compute")?;
    // Lanes that are gathered one by one are put into a wide vector at more cost than its arithmetic saves: a dot
    // product over 40 gathered values took 1.05 of gcc's time with 32-byte vectors and 1.12 with 64-byte ones.
    let widest = if gathers(&body) { GATHERED_BYTES } else { usize::MAX };
    let (lanes, accumulators) = match options.lanes.bytes.min(widest) / size {
        narrower if narrower * size < options.lanes.bytes => (narrower, options.lanes.accumulators.min(2)),
        full => (full, options.lanes.accumulators),
    };
    if !(lanes.is_power_of_two() && (2..=64).contains(&lanes)) {
        return Err(format!("a vector of {} bytes has no lanes of {size} bytes", options.lanes.bytes));
    }
    let copies = if p.reductions.is_empty() { options.unroll } else { accumulators };
    let copies = 1 << copies.clamp(1, 16).ilog2();
    let VectorPlanner { facts, reductions, vectors, scalars, .. } = p;
    Ok(VectorPlan { lanes, copies, items, reductions, facts, vectors, scalars })
}

/// The widest vector whose lanes are loaded one by one.
const GATHERED_BYTES: usize = 32;

/// Whether some load is indexed by a loaded value.
fn gathers(body: &[Stmt]) -> bool {
    let mut loaded: IdSet<VarId> = IdSet::default();
    for s in body {
        let from_memory = |e: &Expr| match e {
            Expr::Var(v) => loaded.contains(v),
            e => matches!(e, Expr::Load { .. }),
        };
        let indirect = |e: &Expr| matches!(e, Expr::Load { at, .. } if any_part(at, &from_memory));
        if exprs(s).any(|e| any_part(e, &indirect)) {
            return true;
        }
        let loads = exprs(s).any(|e| any_part(e, &from_memory));
        loaded.extend(born_var(s).filter(|_| loads));
    }
    false
}

/// The statements of a straight-line body without remarks, with index arithmetic put where it is used.
pub(crate) fn straighten(kernel: &LoopKernel, body: &[Stmt]) -> Result<Vec<Stmt>, String> {
    let set: IdSet<VarId> = body.iter().filter_map(set_var).collect();
    let mut known: IdMap<VarId, Expr> = IdMap::default();
    let mut out = Vec::new();
    for s in body {
        let put = |e: &Expr| substitute(e, &|v| known.get(&v).cloned());
        match s {
            Stmt::Let { var, val } => {
                let val = put(val);
                let fixed =
                    |e: &Expr| read_buffer(e).is_some() || matches!(e, Expr::Var(v) if set.contains(v));
                let index = kernel.vars.get(*var).is_some_and(|v| v.ty == Ty::INDEX);
                if index && !set.contains(var) && !any_part(&val, &fixed) && !is_long(&val) {
                    known.insert(*var, val);
                } else {
                    out.push(Stmt::Let { var: *var, val });
                }
            }
            Stmt::Set { var, val } => out.push(Stmt::Set { var: *var, val: put(val) }),
            Stmt::Store { buf, at, val, reduce } => {
                out.push(Stmt::Store { buf: *buf, at: put(at), val: put(val), reduce: *reduce });
            }
            s => match s.kind() {
                StmtKind::Remark => {}
                StmtKind::Loop => return Err("it is not an innermost loop".into()),
                kind => return Err(kind.why_not_straight().into()),
            },
        }
    }
    Ok(out)
}

/// Where each stored buffer is stored to; it must be one place per buffer.
fn stores(kernel: &LoopKernel, body: &[Stmt]) -> Result<IdMap<BufId, Expr>, String> {
    let mut found: IdMap<BufId, Expr> = IdMap::default();
    for s in body {
        if let Stmt::Store { buf, at, val: _, reduce: _ } = s
            && found.insert(*buf, at.clone()).is_some_and(|old| !is_same_expr(kernel, &old, at))
        {
            return Err(format!("{} is stored to at two places", kernel.bufs[*buf].name));
        }
    }
    Ok(found)
}

/// Whether two expressions are written the same.
fn is_same_expr(kernel: &LoopKernel, a: &Expr, b: &Expr) -> bool {
    a == b && print_expr(kernel, a) == print_expr(kernel, b)
}

struct VectorPlanner<'k> {
    k: &'k LoopKernel,
    facts: RoundFacts,
    locals: IdSet<VarId>,
    reductions: Vec<VectorReduction>,
    vectors: IdSet<VarId>,
    scalars: IdSet<VarId>,
    /// The size of the elements of all vectors of numbers.
    size: Option<usize>,
    /// Whether truth values are loaded or stored: where there are no numbers, their bytes are the elements.
    bytes: bool,
}

impl VectorPlanner<'_> {
    fn items(&mut self, body: &[Stmt], reassociate: Reassociate) -> Result<Vec<Item>, String> {
        let mut items = Vec::new();
        for s in body {
            items.push(match s {
                Stmt::Let { var, val } => Item::Let(*var, val.clone()),
                Stmt::Set { var, val } if self.locals.contains(var) => Item::Set(*var, val.clone()),
                Stmt::Set { var, val } => self.reduction(body, *var, val, reassociate)?,
                Stmt::Store { reduce: Some(Prim::Library(f)), .. } => {
                    return Err(format!("{} is combined one after the other", f.name()));
                }
                Stmt::Store { buf, at, val, reduce } => {
                    Item::Store { buf: *buf, at: at.clone(), val: val.clone(), reduce: *reduce }
                }
                _ => return Err("its body is not straight-line".into()),
            });
        }
        Ok(items)
    }
    /// Understands `var = prim(var, e)`, also `var = prim(prim(var, a), b)`.
    fn reduction(&mut self, body: &[Stmt], v: VarId, val: &Expr, how: Reassociate) -> Result<Item, String> {
        let name = || self.k.vars.get(v).map_or_else(String::new, |v| v.name.clone());
        let Expr::Call { prim, args: _ } = val else {
            return Err(format!("{} is set to something that is no reduction", name()));
        };
        let ty = self.k.ty(val)?;
        if !reduces_in_lanes(*prim, ty.elem) {
            return Err(format!("{} does not reduce {}", prim.name(), name()));
        }
        if ty.elem.is_float() && how == Reassociate::Strict {
            return Err(format!("the order in which {} is reduced is strict", name()));
        }
        let mut uses = 0;
        for s in body {
            let count = &mut |part: &Expr| uses += (*part == Expr::Var(v)) as usize;
            exprs(s).for_each(|e| each_part(e, count));
        }
        let sets = body.iter().filter(|s| set_var(s) == Some(v)).count();
        let mut leaves = Vec::new();
        spread(*prim, val, &mut leaves);
        let found = leaves.iter().position(|e| **e == Expr::Var(v));
        let (Some(at), 1, 1) = (found, uses, sets) else {
            return Err(format!("{} is used beside its reduction", name()));
        };
        leaves.remove(at);
        let joined = leaves.into_iter().cloned().reduce(|a, b| Expr::Call { prim: *prim, args: vec![a, b] });
        let joined = joined.ok_or_else(|| format!("{} is reduced with nothing", name()))?;
        self.reductions.push(VectorReduction { var: v, prim: *prim, elem: ty.elem });
        Ok(Item::Reduce(self.reductions.len() - 1, joined))
    }
    /// Finds which variables are needed as what, until nothing is added.
    fn settle(&mut self, items: &[Item]) -> Result<(), String> {
        for round in 0.. {
            let before = (self.vectors.len(), self.scalars.len());
            // What a value needs stands before it, so that all is found from the last one on; the first reason to refuse is
            // that of the first one.
            let at = |n: usize| if round == 0 { n } else { items.len() - 1 - n };
            for item in (0..items.len()).map(|n| &items[at(n)]) {
                match item {
                    Item::Let(v, val) | Item::Set(v, val) => {
                        if self.vectors.contains(v) {
                            self.value(val)?;
                        }
                        if self.scalars.contains(v) {
                            self.scalar(val)?;
                        }
                    }
                    Item::Store { buf, at, val, reduce: _ } => {
                        if self.facts.stride(at) != Some(1) {
                            let name = &self.k.bufs[*buf].name;
                            return Err(format!("{name} is not stored to element after element"));
                        }
                        self.bytes |= self.k.bufs[*buf].elem == DType::Bool;
                        self.value(val)?;
                    }
                    Item::Reduce(_, val) => self.value(val)?,
                }
            }
            if before == (self.vectors.len(), self.scalars.len()) {
                break;
            }
        }
        Ok(())
    }
    /// `e` is needed in every lane.
    fn value(&mut self, e: &Expr) -> Result<(), String> {
        if self.k.ty(e)? == Ty::BOOL { self.mask(e) } else { self.vector(e) }
    }
    /// `e` is needed as a vector of numbers.
    fn vector(&mut self, e: &Expr) -> Result<(), String> {
        let ty = self.k.ty(e)?;
        match ty.elem {
            DType::F32 | DType::F64 | DType::I32 | DType::I64 | DType::U32 | DType::U64 if ty.lanes == 1 => {}
            _ => return Err(format!("there are no vectors of {ty}")),
        }
        let size = *self.size.get_or_insert(ty.elem.size());
        if size != ty.elem.size() {
            return Err("its values have different sizes".into());
        }
        if self.facts.invariant(e) {
            return Ok(());
        }
        match e {
            Expr::Var(v) => {
                if self.locals.contains(v) {
                    self.vectors.insert(*v);
                }
                Ok(())
            }
            Expr::Load { buf, at } if self.facts.stride(at) == Some(1) => self.access(*buf, at),
            Expr::Load { .. } | Expr::Cast { .. } => self.scalar(e),
            Expr::Call { prim, args } => match prim {
                Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max => {
                    args.iter().try_for_each(|a| self.vector(a))
                }
                Prim::Neg | Prim::Abs | Prim::And | Prim::Or | Prim::Xor | Prim::Not => {
                    args.iter().try_for_each(|a| self.vector(a))
                }
                Prim::Select => {
                    let [c, a, b] = &args[..] else { return Err("select takes three arguments".into()) };
                    self.mask(c)?;
                    self.vector(a)?;
                    self.vector(b)
                }
                Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => {
                    Err("a truth value is needed as a number".into())
                }
                Prim::Fused | Prim::Times | Prim::Least | Prim::Most => {
                    args.iter().try_for_each(|a| self.vector(a))
                }
                // Machines have no vector instructions for most of these.
                Prim::Quot
                | Prim::Rem
                | Prim::Shl
                | Prim::Shr
                | Prim::Ctz
                | Prim::Popcount
                | Prim::Library(_)
                | Prim::Choose
                | Prim::Defined(_) => Err(format!("{} has no vector form", prim.name())),
            },
            Expr::Const(_) => Ok(()),
            _ => Err("it has vectors already".into()),
        }
    }
    /// `e` is needed as a vector of truth values. They have the lanes of the numbers beside them; backends widen and narrow
    /// what is in memory, where a truth value is a byte.
    fn mask(&mut self, e: &Expr) -> Result<(), String> {
        if self.facts.invariant(e) {
            return Ok(());
        }
        match e {
            Expr::Var(v) => {
                if self.locals.contains(v) {
                    self.vectors.insert(*v);
                }
                Ok(())
            }
            Expr::Load { buf, at } if self.facts.stride(at) == Some(1) => {
                self.bytes = true;
                self.access(*buf, at)
            }
            Expr::Call { prim, args } => match prim {
                Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => {
                    args.iter().try_for_each(|a| self.mask(a))
                }
                Prim::Add | Prim::Mul | Prim::Min | Prim::Max | Prim::Abs => {
                    args.iter().try_for_each(|a| self.mask(a))
                }
                Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => {
                    args.iter().try_for_each(|a| self.value(a))
                }
                Prim::Sub
                | Prim::Neg
                | Prim::Div
                | Prim::Quot
                | Prim::Rem
                | Prim::Shl
                | Prim::Shr
                | Prim::Ctz
                | Prim::Popcount
                | Prim::Fused
                | Prim::Times
                | Prim::Least
                | Prim::Most
                | Prim::Library(_)
                | Prim::Choose
                | Prim::Defined(_) => Err(format!("{} of truth values has no vector form", prim.name())),
            },
            Expr::Load { .. } => Err("truth values are loaded from here and there".into()),
            _ => Err("a truth value comes from neither a comparison nor memory".into()),
        }
    }
    /// `e` is needed as one scalar per lane.
    fn scalar(&mut self, e: &Expr) -> Result<(), String> {
        match e {
            Expr::Var(v) if self.locals.contains(v) => {
                self.scalars.insert(*v);
            }
            e => read_place(e).map_or(Ok(()), |(buf, at)| self.access(buf, at))?,
        }
        parts(e).try_for_each(|p| self.scalar(p))
    }
    /// A load from a buffer that is stored to must be from where the store goes.
    fn access(&self, buf: BufId, at: &Expr) -> Result<(), String> {
        match self.facts.stores.get(&buf) {
            Some(place) if !is_same_expr(self.k, place, at) => {
                Err(format!("{} is stored to and loaded from elsewhere", self.k.bufs[buf].name))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// The operands of a tree of one primitive.
fn spread<'e>(prim: Prim, e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match e {
        Expr::Call { prim: p, args } if *p == prim => args.iter().for_each(|a| spread(prim, a, out)),
        e => out.push(e),
    }
}
