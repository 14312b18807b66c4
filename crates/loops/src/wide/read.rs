//! The reading of a loop as a [`WideLeaf`], or the reason why it is none.

use super::leaf::{LeafSlot, Pointer, WideIndex, WideLeaf, WidePlace, WideReduction, WideStep, WideValue};
use super::rows::{BYTES, GATHERED};
use super::{VectorFunctions, Wide, is_instruction, slots};
use crate::build::{add, call, int};
use crate::kinds::{StmtKind, read_buffer};
use crate::nodes::{BufId, Expr, LoopKernel, Stmt, Ty, VarId};
use crate::text::print_expr;
use crate::verify::reduces_in_lanes;
use crate::walk::{any_part, born_var, depends, each_part, each_stmt, exprs, is_long, set_var, substitute};
use openwork_algebra::operator::OPERATORS;
use openwork_algebra::{DType, Prim, Scalar};
use openwork_base::{IdMap, IdSet};

/// The most results that a leaf hands back.
const RESULTS: usize = 2;
/// The most variables; more do not stay in registers.
const SLOTS: usize = 24;

impl WideLeaf {
    /// Understands a `for` loop, whatever its mode, for some vectors.
    ///
    /// # Errors
    /// The reason why the loop is no leaf.
    pub fn read(kernel: &LoopKernel, s: &Stmt, wide: &Wide) -> Result<WideLeaf, String> {
        let Stmt::For { var, lo, hi: _, step: 1, mode: _, body } = s else {
            return Err("it is no for loop of step 1".into());
        };
        let mut own = IdSet::from_iter([*var]);
        let mut changing = IdSet::default();
        each_stmt(body, &mut |s| {
            own.extend(born_var(s).into_iter().chain(set_var(s)));
            changing.extend(set_var(s));
        });
        let mut r = WideReader::new(kernel, *var, Some(lo), own, changing);
        r.functions = wide.functions;
        r.leaf.body = r.block(body, WideDepth::Outer)?;
        let elem = r.elem.ok_or("there is nothing to compute")?;
        r.memory_is_met_at_one_place()?;
        r.check_single_use(0, body)?;
        let mut leaf = r.leaf;
        (leaf.elem, leaf.lanes) = (elem, wide.lanes(elem.size()));
        if leaf.is_nested() && leaf.calls() {
            // Sums inside would have no register while it is called.
            return Err("a function is called beside its loops".into());
        }
        let gathers = leaf.gathers();
        if gathers {
            slots::check_slots(kernel, &leaf)?;
            leaf.lanes = GATHERED;
        }
        if gathers && !(leaf.reductions.is_empty() && leaf.tests_slots() && !leaf.calls()) {
            return Err("its elements lie apart".into());
        }
        let registers = if gathers { Wide { bytes: BYTES, ..*wide } } else { *wide };
        if leaf.floats.len() > registers.scalars() {
            return Err("it has too many scalars from outside".into());
        }
        settle(&mut leaf);
        Ok(leaf)
    }
}

/// How deep a block is inside of a `wide` loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WideDepth {
    Outer,
    Inner,
}

/// An index taken apart: by how much it grows with the rounds, what is known outside, and the rest.
#[derive(Default)]
struct IndexSplit {
    moves: bool,
    fixed: Option<Expr>,
    rest: Option<WideIndex>,
}

pub(super) struct WideReader<'k> {
    pub(super) k: &'k LoopKernel,
    /// The variable of the loop that is taken several rounds at a time, once it is reached.
    pub(super) var: VarId,
    /// What its rounds are counted from; nothing where its variable counts by itself.
    lo: Option<&'k Expr>,
    /// Whether the rounds are side by side: what is an index of its own in each is put where it is used.
    pub(super) side: bool,
    /// What lanes are added to.
    pub(super) added: Vec<BufId>,
    /// Variables that are born or set in the loop.
    own: IdSet<VarId>,
    /// … and those that are set.
    changing: IdSet<VarId>,
    /// Index arithmetic that is put where it is used.
    pub(super) known: IdMap<VarId, Expr>,
    pub(super) slots: IdMap<VarId, usize>,
    pub(super) stores: IdMap<BufId, WidePlace>,
    pub(super) loads: Vec<(BufId, WidePlace)>,
    pub(super) elem: Option<DType>,
    /// What may be called for a whole vector.
    functions: VectorFunctions,
    pub(super) leaf: WideLeaf,
}

impl<'k> WideReader<'k> {
    pub(super) fn new(
        k: &'k LoopKernel,
        var: VarId,
        lo: Option<&'k Expr>,
        own: IdSet<VarId>,
        changing: IdSet<VarId>,
    ) -> WideReader<'k> {
        let leaf = WideLeaf {
            elem: DType::F64,
            lanes: 0,
            pointers: Vec::new(),
            ints: Vec::new(),
            floats: Vec::new(),
            slots: Vec::new(),
            body: Vec::new(),
            reductions: Vec::new(),
            rows: None,
        };
        let (known, slots, stores, loads) = Default::default();
        WideReader {
            k,
            var,
            lo,
            side: lo.is_some(),
            added: Vec::new(),
            own,
            changing,
            known,
            slots,
            stores,
            loads,
            elem: None,
            functions: VectorFunctions::NONE,
            leaf,
        }
    }
    pub(super) fn block(&mut self, body: &[Stmt], depth: WideDepth) -> Result<Vec<WideStep>, String> {
        let mut steps = Vec::new();
        for s in body {
            match s {
                Stmt::Let { var, val } => steps.extend(self.bind(*var, val)?),
                Stmt::Set { var, val } => steps.push(self.set(*var, val, depth)?),
                Stmt::Store { buf, at, val, reduce } if depth == WideDepth::Outer => {
                    let place = self.place(*buf, at)?;
                    if self.lo.is_none() && !place.moves {
                        steps.push(self.read_added(place, val, *reduce)?);
                        continue;
                    }
                    if !place.moves || self.lo.is_some() && place.index.is_some() {
                        let name = &self.k.bufs[*buf].name;
                        return Err(format!("{name} is not stored to element after element"));
                    }
                    if self.stores.insert(*buf, place.clone()).is_some_and(|old| old != place) {
                        return Err(format!("{} is stored to at two places", self.k.bufs[*buf].name));
                    }
                    if reduce.is_some_and(|p| !combines(p)) {
                        return Err("a store combines in another way".into());
                    }
                    steps.push(WideStep::Store(place, self.value(val)?, *reduce));
                }
                Stmt::For { var, lo, hi, step: 1, mode: _, body } => {
                    let (lo, hi) = (self.index(lo)?, self.index(hi)?);
                    if lo.moves() || hi.moves() {
                        return Err("the bounds of an inner loop vary".into());
                    }
                    let slot = self.slot(*var, LeafSlot::Int)?;
                    let body = self.block(body, WideDepth::Inner)?;
                    steps.push(WideStep::Loop(slot, lo, hi, body));
                }
                Stmt::Store { .. } => return Err("it stores in an inner loop".into()),
                Stmt::For { .. } => return Err("an inner loop has a step".into()),
                s if s.kind() == StmtKind::Remark => {}
                s => return Err(s.kind().why_not_wide().into()),
            }
        }
        Ok(steps)
    }
    pub(super) fn slot(&mut self, v: VarId, kind: LeafSlot) -> Result<usize, String> {
        if self.leaf.slots.len() == SLOTS {
            return Err("it has too many variables".into());
        }
        self.leaf.slots.push(kind);
        self.known.remove(&v);
        self.slots.insert(v, self.leaf.slots.len() - 1);
        Ok(self.leaf.slots.len() - 1)
    }
    pub(super) fn bind(&mut self, v: VarId, val: &Expr) -> Result<Option<WideStep>, String> {
        if self.k.vars.get(v).map(|v| v.ty) != Some(Ty::INDEX) {
            let val = self.value(val)?;
            return Ok(Some(WideStep::Set(self.slot(v, LeafSlot::Uniform)?, val)));
        }
        if self.changing.contains(&v) {
            return Err("an index is set in its body".into());
        }
        let whole = self.inline(val);
        if is_long(&whole) {
            return Err("an index takes too many steps".into());
        }
        let loads = any_part(&whole, &|e| read_buffer(e).is_some());
        let free = |e: &Expr| matches!(e, Expr::Var(v) if self.own.contains(v) && *v != self.var);
        if !loads && (self.moves(&whole) || !any_part(&whole, &free)) {
            self.slots.remove(&v);
            self.known.insert(v, whole);
            return Ok(None);
        }
        if self.side && self.moves(&whole) {
            self.slots.remove(&v);
            self.known.insert(v, whole);
            return Ok(None);
        }
        let index = self.index(val)?;
        Ok(Some(WideStep::Int(self.slot(v, LeafSlot::Int)?, index)))
    }
    fn set(&mut self, v: VarId, val: &Expr, depth: WideDepth) -> Result<WideStep, String> {
        if let Some(&slot) = self.slots.get(&v) {
            return match self.leaf.slots[slot] {
                LeafSlot::Int => Err("an index is set in its body".into()),
                LeafSlot::Uniform | LeafSlot::Varying => Ok(WideStep::Set(slot, self.value(val)?)),
            };
        }
        if depth == WideDepth::Inner {
            return Err("it sets what is no reduction".into());
        }
        self.reduction(v, val)
    }
    /// Understands `v = prim(v, e)`, also `v = prim(prim(v, a), b)`, for a variable from outside.
    pub(super) fn reduction(&mut self, v: VarId, val: &Expr) -> Result<WideStep, String> {
        let Expr::Call { prim, args } = val else { return Err("it sets what is no reduction".into()) };
        let ty = self.k.ty(val)?;
        let mut rest: Vec<&Expr> = Vec::new();
        spread(*prim, &args[..], &mut rest);
        let here = rest.iter().position(|e| **e == Expr::Var(v)).ok_or("it sets what is no reduction")?;
        rest.remove(here);
        let joined = rest.into_iter().cloned().reduce(|a, b| call(*prim, a, b));
        let (true, true, Some(joined)) = (vector_prim(*prim), reduces_in_lanes(*prim, ty.elem), joined)
        else {
            return Err("it sets what is no reduction".into());
        };
        if self.leaf.reductions.len() == RESULTS {
            return Err("it has too many reductions".into());
        }
        let number = self.leaf.reductions.len();
        let op = OPERATORS.iter().find(|op| op.prim == *prim);
        let identity =
            op.and_then(|op| op.identity_at(0, ty.elem)).ok_or("its reduction starts from nothing")?;
        self.leaf.reductions.push(WideReduction { var: v, prim: *prim, identity });
        Ok(WideStep::Reduce(number, self.value(&joined)?))
    }
    pub(super) fn inline(&self, e: &Expr) -> Expr {
        substitute(e, &|v| self.known.get(&v).cloned())
    }
    pub(super) fn moves(&self, e: &Expr) -> bool {
        any_part(e, &|part| *part == Expr::Var(self.var))
    }
    /// Whether `e` can be computed before the loop: arithmetic, no memory.
    fn is_fixed(&self, e: &Expr) -> bool {
        !depends(e, &|v| self.own.contains(&v))
    }
    fn split(&mut self, e: &Expr) -> Result<IndexSplit, String> {
        // In rows, an element and the one after it are read from the same address on.
        let ahead = self.lo.is_none() && matches!(e, Expr::Const(_));
        if self.is_fixed(e) && !ahead {
            return Ok(IndexSplit { fixed: Some(e.clone()), ..IndexSplit::default() });
        }
        if *e == Expr::Var(self.var) {
            return Ok(IndexSplit { moves: true, ..IndexSplit::default() });
        }
        let Expr::Call { prim: prim @ (Prim::Add | Prim::Sub), args } = e else {
            return Ok(IndexSplit { rest: Some(self.index_of(e)?), ..IndexSplit::default() });
        };
        let (a, b) = (self.split(&args[0])?, self.split(&args[1])?);
        if b.moves && (a.moves || *prim == Prim::Sub) {
            return Err("an index grows by more than one".into());
        }
        let fixed = match (a.fixed, b.fixed, prim) {
            (a, None, _) => a,
            (None, Some(b), Prim::Add) => Some(b),
            (a, Some(b), _) => Some(call(*prim, a.unwrap_or(int(0)), b)),
        };
        let rest = match (a.rest, b.rest, prim) {
            (a, None, _) => a,
            (None, Some(b), Prim::Add) => Some(b),
            (a, Some(b), _) => Some(WideIndex::Call(*prim, [a.unwrap_or(WideIndex::Const(0)), b].into())),
        };
        Ok(IndexSplit { moves: a.moves || b.moves, fixed, rest })
    }
    pub(super) fn index(&mut self, e: &Expr) -> Result<WideIndex, String> {
        let e = self.inline(e);
        self.index_of(&e)
    }
    pub(super) fn index_of(&mut self, e: &Expr) -> Result<WideIndex, String> {
        if self.k.ty(e)? != Ty::INDEX {
            return Err("an index is no i64".into());
        }
        if let Expr::Const(Scalar::I64(n)) = e {
            return Ok(WideIndex::Const(*n));
        }
        if self.is_fixed(e) {
            return Ok(WideIndex::Arg(number(&mut self.leaf.ints, e.clone())));
        }
        match e {
            Expr::Var(v) => self.slots.get(v).map(|s| WideIndex::Slot(*s)).ok_or("an index varies".into()),
            Expr::Call { prim: prim @ (Prim::Add | Prim::Sub | Prim::Mul), args } => {
                let mut both = [self.index_of(&args[0])?, self.index_of(&args[1])?];
                if *prim == Prim::Add && matches!(both[0], WideIndex::Const(_)) {
                    // Where an address can have it.
                    both.swap(0, 1);
                }
                Ok(WideIndex::Call(*prim, both.into()))
            }
            Expr::Load { buf, at } => self.integer(*buf, at),
            Expr::Call { prim: Prim::Select, args } => self.or_first(args),
            Expr::Cast { to: DType::I64, arg } => match &**arg {
                Expr::Load { buf, at } => self.integer(*buf, at),
                _ => Err("an index is cast".into()),
            },
            _ => Err("an index has another form".into()),
        }
    }
    fn integer(&mut self, buf: BufId, at: &Expr) -> Result<WideIndex, String> {
        let place = self.read_load(buf, at)?;
        match self.k.bufs[buf].elem.is_int() {
            true => Ok(WideIndex::Load(place.into())),
            false => Err("an index is no integer".into()),
        }
    }
    pub(super) fn place(&mut self, buf: BufId, at: &Expr) -> Result<WidePlace, String> {
        let at = self.inline(at);
        let IndexSplit { moves, fixed, rest } = self.split(&at)?;
        let fixed = fixed.unwrap_or(int(0));
        let at = match self.lo {
            Some(lo) if moves => add(fixed, lo.clone()),
            Some(_) | None => fixed,
        };
        let elem = self.k.bufs[buf].elem;
        let pointer = number(&mut self.leaf.pointers, Pointer { buf, elem, at });
        Ok(WidePlace { pointer, index: rest, moves })
    }
    pub(super) fn read_load(&mut self, buf: BufId, at: &Expr) -> Result<WidePlace, String> {
        let place = self.place(buf, at)?;
        self.loads.push((buf, place.clone()));
        Ok(place)
    }
    pub(super) fn value(&mut self, e: &Expr) -> Result<WideValue, String> {
        let elem = match self.k.ty(e)? {
            Ty { elem: elem @ (DType::F32 | DType::F64), lanes: 1 } => elem,
            ty => return Err(format!("there is a value of type {ty}")),
        };
        if *self.elem.get_or_insert(elem) != elem {
            return Err("its values have different dtypes".into());
        }
        if self.is_fixed(e) {
            let text = print_expr(self.k, e);
            // Zeros of either sign are equal, but not the same.
            let known = self.leaf.floats.iter().position(|f| f == e && print_expr(self.k, f) == text);
            return Ok(WideValue::Arg(known.unwrap_or_else(|| {
                self.leaf.floats.push(e.clone());
                self.leaf.floats.len() - 1
            })));
        }
        match e {
            Expr::Var(v) => {
                self.slots.get(v).map(|s| WideValue::Slot(*s)).ok_or("a variable is set in it".into())
            }
            Expr::Load { buf, at } => {
                let place = self.read_load(*buf, at)?;
                match place.index.as_ref().is_some_and(WideIndex::moves) {
                    false => Ok(WideValue::Load(place)),
                    true if !place.moves => Ok(WideValue::Gather(place)),
                    true => Err("an index moves in two ways".into()),
                }
            }
            Expr::Call { prim, args } if vector_prim(*prim) || self.function(*prim) => {
                let args = args.iter().map(|a| self.value(a)).collect::<Result<_, _>>()?;
                Ok(WideValue::Call(*prim, args))
            }
            Expr::Call { prim: Prim::Select, args } => self.read_select(args),
            Expr::Call { prim, .. } => Err(format!("{} has no wide form", prim.name())),
            _ => Err("a value has another form".into()),
        }
    }
    fn function(&self, prim: Prim) -> bool {
        matches!(prim, Prim::Library(f) if self.functions.has(f))
    }
    /// What is stored to is loaded from the same element only.
    pub(super) fn memory_is_met_at_one_place(&self) -> Result<(), String> {
        let elsewhere = |(buf, place): &&(BufId, WidePlace)| self.stores.get(buf).is_some_and(|s| s != place);
        match self.loads.iter().find(elsewhere) {
            Some((buf, _)) => {
                Err(format!("{} is stored to and loaded from elsewhere", self.k.bufs[*buf].name))
            }
            None => Ok(()),
        }
    }
    /// A variable that is reduced is met at its reduction only.
    pub(super) fn check_single_use(&self, from: usize, body: &[Stmt]) -> Result<(), String> {
        for WideReduction { var: v, .. } in &self.leaf.reductions[from..] {
            let mut uses = 0;
            each_stmt(body, &mut |s| {
                let count = &mut |part: &Expr| uses += (*part == Expr::Var(*v)) as usize;
                exprs(s).for_each(|e| each_part(e, count));
            });
            if uses != 1 {
                return Err("what is reduced is used".into());
            }
        }
        Ok(())
    }
}

/// The place of `x` in a list, at its end if it is new.
fn number<T: PartialEq>(list: &mut Vec<T>, x: T) -> usize {
    list.iter().position(|y| *y == x).unwrap_or_else(|| {
        list.push(x);
        list.len() - 1
    })
}

/// The operands of a tree of one primitive.
fn spread<'e>(prim: Prim, args: &'e [Expr], out: &mut Vec<&'e Expr>) {
    for e in args {
        match e {
            Expr::Call { prim: p, args } if *p == prim => spread(prim, args, out),
            e => out.push(e),
        }
    }
}

/// Whether values are stored to by a primitive side by side.
pub(super) fn combines(prim: Prim) -> bool {
    !matches!(prim, Prim::Library(_)) && vector_prim(prim)
}

pub(super) fn vector_prim(prim: Prim) -> bool {
    match prim {
        Prim::Add | Prim::Sub | Prim::Mul | Prim::Div => true,
        Prim::Min | Prim::Max | Prim::Neg | Prim::Abs | Prim::Fused | Prim::Times => true,
        Prim::And | Prim::Or | Prim::Xor | Prim::Not | Prim::Select => false,
        Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => false,
        Prim::Library(f) => is_instruction(f),
        Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Choose
        | Prim::Defined(_) => false,
        Prim::Least | Prim::Most => false,
    }
}

/// Variables that ever get a varying value are varying.
pub(super) fn settle(leaf: &mut WideLeaf) {
    fn visit(leaf: &WideLeaf, steps: &[WideStep], found: &mut Vec<usize>) {
        for s in steps {
            match s {
                WideStep::Set(slot, val) if !leaf.uniform(val) => found.push(*slot),
                WideStep::Loop(_, _, _, body)
                | WideStep::Across(_, _, body, _)
                | WideStep::Lanes(_, _, body) => {
                    visit(leaf, body, found);
                }
                WideStep::Set(..) | WideStep::Int(..) | WideStep::Store(..) | WideStep::Reduce(..) => {}
            }
        }
    }
    loop {
        let mut found = Vec::new();
        visit(leaf, &leaf.body, &mut found);
        found.retain(|s| leaf.slots[*s] != LeafSlot::Varying);
        if found.is_empty() {
            return;
        }
        found.into_iter().for_each(|s| leaf.slots[s] = LeafSlot::Varying);
    }
}
