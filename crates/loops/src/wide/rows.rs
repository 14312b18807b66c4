//! Loops over rows, each of which adds up in `vector` loops, taken as loops that a backend assembles as a whole: at the 5 to
//! 40 elements that a row of a sparse matrix has, a call for each row would weigh.
//!
//! ```text
//! for i in 0..n {                              rows(4) for i in 0..n {
//!   let t: f64 = 0.0                             let t: f64 = 0.0
//!   let lo: i64 = pos[i]                         let lo: i64 = pos[i]
//!   let hi: i64 = pos[i + 1]               =>    let hi: i64 = pos[i + 1]
//!   vector for p in lo..hi {                     for p in lo..hi {
//!     t = t + a[p] * x[i64(crd[p])]                t = t + a[p] * x[i64(crd[p])]
//!   }                                            }
//!   y[i] = t                                     y[i] = t
//! }                                            }
//! ```
//!
//! A `rows` loop means the same as a serial one, but for the order in which the loops inside it add up. What may be in it is
//! exactly what [`WideLeaf::of_rows`] understands: straight-line code over one float dtype that stores elements, and between
//! it loops of lets and reductions. These may gather: an element of a row may be read where an index from memory says.
//!
//! What is gathered is put into vectors of four lanes element by element, which costs as much as it does one by one; what
//! it saves is branches. A row of a few elements is one round of a loop with a mask, and the processor guesses rightly
//! that there is no other, whatever its length is: SpMV of a mesh with six elements per row, in no order, takes 0.65 of the time
//! of one sum, and 0.75 of what `gcc -O3 -march=native -ffast-math` makes of it.

use super::Wide;
use super::ahead::sums_ahead;
use super::leaf::{Carried, LeafSlot, RowJoin, WideIndex, WideLeaf, WideRows, WideStep, WideValue};
use super::read::{WideReader, settle};
use crate::kinds::StmtKind;
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use crate::walk::{any_part, blocks_mut, born_var, each_stmt, set_var};
use openwork_algebra::DType;
use openwork_base::IdSet;

/// Lanes of a vector whose elements are gathered.
pub(super) const GATHERED: u8 = 4;
/// Bytes of the vectors of rows whose elements are gathered, or lie side by side in slices.
pub(super) const BYTES: usize = 32;
/// The most variables outside that a loop over rows sets.
const CARRIED: usize = 2;

/// Marks the loops over rows of a lawful kernel, and tells for each loop around `vector` loops whether it is one, by the name
/// of its variable; the last step before [`vectorize`](mod@crate::vectorize).
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{Wide, wide::rows, text::{parse, print}};
/// let k = parse(&Source::new("demo", "kernel k(n: i64, pos: in i64[], x: in f64[], y: out f64[]) {
///   for i in 0..n {
///     let t: f64 = 0.0
///     vector for p in pos[i]..pos[i + 1] { t = t + x[p] }
///     y[i] = t
///   }
/// }")).unwrap();
/// let (k, decisions) = rows(k, &Wide::new(32, 128));
/// assert_eq!(decisions, [("i".into(), Ok(()))]);
/// assert!(print(&k).contains("rows(4) for i in 0..n"));
/// ```
pub fn rows(mut kernel: LoopKernel, wide: &Wide) -> (LoopKernel, Vec<RowsDecision>) {
    let mut decisions = Vec::new();
    let body = std::mem::take(&mut kernel.body);
    let mut body = block(&mut kernel, wide, body, &mut decisions);
    // Memory for sums that are taken ahead comes first.
    kernel.body.append(&mut body);
    (kernel, decisions)
}

/// The name of a loop's variable, and why it is no loop over rows, if it is none.
pub type RowsDecision = (String, Result<(), String>);

fn block(
    kernel: &mut LoopKernel,
    wide: &Wide,
    body: Vec<Stmt>,
    decisions: &mut Vec<RowsDecision>,
) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for mut s in body {
        if let Some(v) = around_vectors(&s) {
            let name = kernel.vars.get(v).map_or_else(String::new, |v| v.name.clone());
            let whole = WideLeaf::of_rows(kernel, &s, wide);
            let taken = match &whole {
                Ok(leaf) => {
                    mark(&mut s, leaf);
                    Ok(vec![s.clone()])
                }
                Err(reason) => sums_ahead(kernel, wide, &s).map_err(|other| format!("{reason}; {other}")),
            };
            decisions.push((name, taken.as_ref().map(|_| ()).map_err(String::clone)));
            out.extend(taken.unwrap_or_else(|_| vec![s]));
            continue;
        }
        if !matches!(s, Stmt::For { mode: LoopMode::Wide { .. }, .. }) {
            for inner in blocks_mut(&mut s) {
                *inner = block(kernel, wide, std::mem::take(inner), decisions);
            }
        }
        out.push(s);
    }
    out
}

/// Makes a loop one over rows.
pub(super) fn mark(s: &mut Stmt, leaf: &WideLeaf) {
    let Stmt::For { mode, body, .. } = s else { return };
    *mode = LoopMode::Rows { lanes: leaf.lanes };
    serial(body);
}
fn serial(body: &mut [Stmt]) {
    for s in body {
        if let Stmt::For { mode, .. } = s {
            *mode = LoopMode::Serial;
        }
        blocks_mut(s).for_each(|inner| serial(inner));
    }
}

/// The variable of a serial loop with `vector` loops in it, and no others right there.
fn around_vectors(s: &Stmt) -> Option<VarId> {
    let Stmt::For { var, mode: LoopMode::Serial, step: 1, body, .. } = s else { return None };
    let mut found = false;
    let plain = body.iter().all(|s| match s {
        Stmt::For { mode, .. } => {
            found = true;
            *mode == LoopMode::Vector
        }
        s => !matches!(s, Stmt::While { .. }),
    });
    (plain && found).then_some(*var)
}

impl WideLeaf {
    /// Understands a loop over rows, whatever its mode and those of the loops in it.
    ///
    /// # Errors
    /// The reason why the loop is none.
    pub fn of_rows(kernel: &LoopKernel, s: &Stmt, wide: &Wide) -> Result<WideLeaf, String> {
        let Stmt::For { var, lo: _, hi: _, step: 1, mode: _, body } = s else {
            return Err("it is no for loop of step 1".into());
        };
        let (mut own, mut changing, mut inside) =
            (IdSet::from_iter([*var]), IdSet::default(), IdSet::default());
        each_stmt(body, &mut |s| {
            inside.extend(born_var(s));
            changing.extend(set_var(s));
        });
        own.extend(inside.iter().chain(&changing));
        // Nothing in a row outside of its loops can mean the variable of one of these.
        let mut inner = None;
        each_stmt(body, &mut |s| match s {
            Stmt::For { var, .. } if inner.is_none() => inner = Some(*var),
            _ => {}
        });
        let inner = inner.ok_or("there is no loop in it")?;
        let mut r = WideReader::new(kernel, inner, None, own, changing.clone());
        let slot = r.slot(*var, LeafSlot::Int)?;
        let mut outside: Vec<VarId> = changing.into_iter().filter(|v| !inside.contains(v)).collect();
        outside.sort();
        let carried = outside.into_iter().map(|v| r.read_carried(v)).collect::<Result<Vec<_>, _>>()?;
        if carried.len() > CARRIED {
            return Err("it sets too many variables".into());
        }
        r.leaf.rows = Some(WideRows { slot, carried });
        r.leaf.body = r.row(body)?;
        r.begin_with_sums();
        let elem = r.elem.ok_or("there is nothing to compute")?;
        let mut leaf = r.leaf;
        leaf.elem = elem;
        leaf.lanes = if leaf.gathers() { GATHERED } else { wide.lanes(elem.size()) };
        super::slots::check_slots(kernel, &leaf)?;
        super::slices::fit(&mut leaf)?;
        let bytes = usize::from(leaf.lanes) * elem.size();
        if leaf.floats.len() > (Wide { bytes, ..*wide }).scalars() {
            return Err("it has too many scalars from outside".into());
        }
        settle(&mut leaf);
        Ok(leaf)
    }
}

impl WideReader<'_> {
    /// A variable outside that the loop sets.
    fn read_carried(&mut self, var: VarId) -> Result<Carried, String> {
        match self.k.vars.get(var).map(|v| v.ty) {
            Some(Ty { elem: elem @ (DType::F32 | DType::F64), lanes: 1 })
                if *self.elem.get_or_insert(elem) == elem =>
            {
                self.leaf.floats.push(Expr::Var(var));
                let first = self.leaf.floats.len() - 1;
                Ok(Carried { var, first, slot: self.slot(var, LeafSlot::Uniform)? })
            }
            _ => Err("it sets a variable that is no value".into()),
        }
    }
    /// What is done in a row.
    pub(super) fn row(&mut self, body: &[Stmt]) -> Result<Vec<WideStep>, String> {
        let mut steps = Vec::new();
        for s in body {
            match s {
                Stmt::Let { var, val } => steps.extend(self.bind(*var, val)?),
                Stmt::Set { var, val } => {
                    let slot = self.slots.get(var).copied().ok_or("a variable is set in it")?;
                    if self.leaf.slots[slot] == LeafSlot::Int {
                        return Err("an index is set in its body".into());
                    }
                    steps.push(WideStep::Set(slot, self.value(val)?));
                }
                Stmt::Store { buf, at, val, reduce } => {
                    if reduce.is_some_and(|p| !super::read::combines(p)) {
                        return Err("a store combines in another way".into());
                    }
                    steps.push(WideStep::Store(self.place(*buf, at)?, self.value(val)?, *reduce));
                }
                Stmt::For { var, lo, hi, step: 1, mode: _, body } => {
                    let row = std::mem::replace(&mut self.var, *var);
                    steps.push(match self.lanes(lo, hi, body)? {
                        Some(side) => side,
                        None => {
                            let (lo, hi) = (self.index(lo)?, self.index(hi)?);
                            self.read_inner_loop(lo, hi, body)?
                        }
                    });
                    self.var = row;
                }
                Stmt::If { cond, then, other } if other.is_empty() => {
                    steps.extend(self.read_guarded(cond, then)?)
                }
                Stmt::For { .. } => return Err("an inner loop has a step".into()),
                s if s.kind() == StmtKind::Remark => {}
                s => return Err(s.kind().why_not_wide().into()),
            }
        }
        Ok(steps)
    }
    /// A loop inside of a row.
    fn read_inner_loop(&mut self, lo: WideIndex, hi: WideIndex, body: &[Stmt]) -> Result<WideStep, String> {
        let before = self.leaf.reductions.len();
        let (mut steps, mut joins, mut here) = (Vec::new(), Vec::new(), IdSet::default());
        for s in body {
            match s {
                Stmt::Let { var, val } => {
                    here.insert(*var);
                    match self.element_index(*var, val) {
                        Some(whole) => {
                            self.slots.remove(var);
                            self.known.insert(*var, whole);
                        }
                        None => steps.extend(self.bind(*var, val)?),
                    }
                }
                Stmt::Set { var, val } if here.contains(var) => {
                    let slot = self.slots.get(var).copied().ok_or("an index is set in its body")?;
                    steps.push(WideStep::Set(slot, self.value(val)?));
                }
                Stmt::Set { var, val } => {
                    let slot = self.slots.get(var).copied().ok_or("a variable is set in it")?;
                    joins.push(RowJoin { number: self.leaf.reductions.len(), slot, first: false });
                    steps.push(self.reduction(*var, val)?);
                }
                s if s.kind() == StmtKind::Remark => {}
                _ => return Err("a loop in it does more than add up".into()),
            }
        }
        if joins.is_empty() {
            return Err("a loop in it adds nothing up".into());
        }
        self.check_single_use(before, body)?;
        Ok(WideStep::Across(lo, hi, steps, joins))
    }
    /// Variables that start as what changes nothing, right before a sum joins them, start as the sum.
    fn begin_with_sums(&mut self) {
        let WideLeaf { body, floats, reductions, .. } = &mut self.leaf;
        for at in 0..body.len() {
            let (before, rest) = body.split_at_mut(at);
            let Some(WideStep::Across(_, _, steps, joins)) = rest.first_mut() else { continue };
            for join in joins {
                let identity = Expr::Const(reductions[join.number].identity);
                let starts = |s: &WideStep| match s {
                    WideStep::Set(slot, WideValue::Arg(n)) => *slot == join.slot && floats[*n] == identity,
                    WideStep::Set(..) | WideStep::Int(..) | WideStep::Store(..) => false,
                    WideStep::Reduce(..)
                    | WideStep::Loop(..)
                    | WideStep::Across(..)
                    | WideStep::Lanes(..) => false,
                };
                let touches = |s: &WideStep| match s {
                    WideStep::Set(slot, v) => *slot == join.slot || v.reads(join.slot),
                    WideStep::Store(_, v, _) | WideStep::Reduce(_, v) => v.reads(join.slot),
                    WideStep::Across(_, _, steps, joins) => {
                        joins.iter().any(|j| j.slot == join.slot) || !steps.is_empty()
                    }
                    WideStep::Lanes(..) => true,
                    WideStep::Int(..) | WideStep::Loop(..) => false,
                };
                let last = before.iter().rposition(touches);
                if let Some(set) = last.filter(|&n| starts(&before[n]) && !steps.iter().any(touches)) {
                    // Removed below.
                    before[set] = WideStep::Set(join.slot, WideValue::Slot(join.slot));
                    join.first = true;
                }
            }
        }
        body.retain(|s| !matches!(s, WideStep::Set(slot, WideValue::Slot(same)) if slot == same));
    }
    /// An index of its own for every element, with what is read from memory for it; nothing is stored in these loops.
    fn element_index(&self, var: VarId, val: &Expr) -> Option<Expr> {
        let index = self.k.vars.get(var).is_some_and(|v| v.ty == Ty::INDEX);
        let whole = self.inline(val);
        let memory = any_part(&whole, &|e| matches!(e, Expr::Load { .. }));
        (index && memory && self.moves(&whole)).then_some(whole)
    }
}
