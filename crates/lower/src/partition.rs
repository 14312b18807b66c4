//! Calls over parts of one variable: how a kernel runs on several threads.
//!
//! The loops over the outermost variable visit the coordinates `begin..end` that the caller passes. What one call makes
//! of them is a result of its own, over these coordinates only:
//!
//! ```text
//! for i in 0..i_dim {                         for i in i_begin..i_end {
//!   for p in A2_pos[i]..A2_pos[i + 1] {         for p in A2_pos[i]..A2_pos[i + 1] {
//!     y[i] += …                                   y[i + i_shift] += …         i_shift = 0 - i_begin
//! ```
//! A stored level is narrowed to the positions of these coordinates by two searches before its loop, which are skipped
//! where the call is over the whole dimension. Nothing else in a kernel knows of threads: temporaries belong to a call,
//! and so do positions and counters.

use crate::Lowerer;
use crate::cursor::Cursor;
use crate::scope::{Scope, Strip};
use openwork_algebra::{Operator, Prim};
use openwork_format::ArrayRole;
use openwork_index::cin::Assembly;
use openwork_index::{Access, Expr, IndexId, Kind, Stmt, TensorId};
use openwork_levels::Coord;
use openwork_loops::build::{add, call, int, lt, mul, set, var};
use openwork_loops::{Expr as Ir, Stmt as Code, VarId};

/// Whether calls over parts of a variable make up the whole result.
#[derive(Clone, Debug, PartialEq)]
pub enum Parallel {
    /// They do not.
    Serial {
        /// Why.
        because: String,
    },
    /// They do.
    Chunks(Chunks),
}

/// How calls over parts of a variable make up the whole result.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunks {
    /// The variable.
    pub var: IndexId,
    /// What becomes of the results of the parts.
    pub join: Join,
}

/// What becomes of the results of the parts.
#[derive(Clone, Copy, Debug)]
pub enum Join {
    /// The result is dense. Part `begin..end` is the slice of its outermost level from `begin * per` to `end * per`, or to
    /// the end of the dimension.
    Slices {
        /// Coordinates of the result's outermost level per value of the variable.
        per: i64,
    },
    /// The result's levels follow one another: coordinates and values are appended, positions shifted.
    Stitch,
    /// The structure of the result is given. Part `begin..end` computes the values below the positions that its level
    /// `level` has for coordinates `begin * per` to `end * per` of the outermost level.
    Given {
        /// The result's stored level; those above are dense.
        level: usize,
        /// Coordinates of the result's outermost level per value of the variable.
        per: i64,
    },
    /// Every part has all elements, which this operator combines.
    Combine(&'static Operator),
    /// Every part places its elements in the one result, after all of them were counted.
    Place,
}

impl PartialEq for Join {
    fn eq(&self, other: &Join) -> bool {
        match (self, other) {
            (Join::Slices { per: a }, Join::Slices { per: b }) => a == b,
            (Join::Stitch, Join::Stitch) | (Join::Place, Join::Place) => true,
            (Join::Given { level: a, per: b }, Join::Given { level: c, per: d }) => (a, b) == (c, d),
            (Join::Combine(a), Join::Combine(b)) => a.name == b.name,
            (Join::Slices { .. } | Join::Stitch | Join::Given { .. } | Join::Combine(_) | Join::Place, _) => {
                false
            }
        }
    }
}

/// The part of a kernel being lowered.
pub(crate) struct Part {
    chunks: Chunks,
    strip: Strip,
    /// Whether a loop has been cut.
    cut: Cut,
}

/// What became of the loops over the variable.
enum Cut {
    /// None was met yet.
    NotYet,
    /// Each was cut.
    Done,
    /// One could not be cut.
    Impossible(String),
}

impl Lowerer<'_> {
    /// The variable to cut, or why there is none.
    pub(crate) fn choose_chunks(&self) -> Result<Chunks, String> {
        let program = self.program;
        if program.assembly != Assembly::InOrder {
            return Err("the elements of the result are placed out of order".into());
        }
        let (v, total) = match &program.body {
            s @ (Stmt::Forall { .. } | Stmt::Seq(_)) => (self.common(s)?, None),
            Stmt::Where { consumer, producer } => match (self.copied_total(consumer), &**producer) {
                (Some(total), s @ Stmt::Forall { .. }) => (self.common(s)?, Some(total)),
                (Some(_) | None, _) => {
                    return Err("a temporary is filled before the loops of the result".into());
                }
            },
            Stmt::Assign { .. } | Stmt::Multi(_) | Stmt::Nop => {
                return Err("it is not one nest of loops".into());
            }
        };
        let (whole, per) = self.whole_of(v)?;
        if let Some(total) = total {
            return Ok(Chunks { var: v, join: self.combined(total)? });
        }
        let result = program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
        let mut result = result.filter(|a| program.tensors[a.tensor].kind == Kind::Result);
        let Some(first) = result.next() else { return Err("it has no result".into()) };
        if result.any(|other| other != first) {
            return Err("the result is assigned in several places".into());
        }
        Ok(Chunks { var: v, join: self.join_of(first, whole, per)? })
    }

    /// The outermost variable of a nest, or of every nest of a sequence.
    fn common(&self, s: &Stmt) -> Result<IndexId, String> {
        let mixed = || "it is a sequence of loops over different variables".to_string();
        match s {
            Stmt::Forall { index, body } => {
                Ok(self.strip_variable(*index, body, &Scope::default()).unwrap_or(*index))
            }
            Stmt::Seq(all) => {
                let vars = all.iter().map(|s| self.common(s)).collect::<Result<Vec<_>, _>>()?;
                self.coarsest(&vars).ok_or_else(mixed)
            }
            Stmt::Assign { .. } | Stmt::Where { .. } | Stmt::Multi(_) | Stmt::Nop => {
                Err("it is not one nest of loops".into())
            }
        }
    }
    /// The variable by which loops over each of these can be cut: they are one and the same, or one counts blocks of the
    /// other.
    fn coarsest(&self, vars: &[IndexId]) -> Option<IndexId> {
        let first = *vars.first()?;
        if vars.iter().all(|&v| v == first) {
            return Some(first);
        }
        let wholes: Vec<_> = vars.iter().map(|&v| self.whole_of(v)).collect::<Result<_, _>>().ok()?;
        let blocks = wholes.iter().position(|&(_, per)| per > 1)?;
        let fits = |(&v, &(whole, per)): (&IndexId, &(IndexId, i64))| {
            whole == wholes[blocks].0 && (v == vars[blocks] || per == 1)
        };
        vars.iter().zip(&wholes).all(fits).then_some(vars[blocks])
    }
    /// The scope of one statement of a sequence: where the part is one of blocks, and the statement's loops are over the
    /// coordinates that are in them, it is these.
    pub(crate) fn part_of(&self, s: &Stmt, scope: &Scope) -> Scope {
        let mut scope = scope.clone();
        let part = self.part.as_ref().filter(|_| scope.part.is_some() && scope.coords.is_empty());
        if let Some(part) = part
            && let Ok(v) = self.common(s)
            && v != part.strip.v
        {
            let (lo, hi) = self.elements(&part.strip);
            scope.part = Some(Strip { v, lo, hi });
        }
        scope
    }
    /// The coordinates in the blocks of a strip; those of the strip where it is no strip of blocks.
    fn elements(&self, strip: &Strip) -> (Ir, Ir) {
        let (whole, per) = self.whole_of(strip.v).expect("checked when the variable was chosen");
        match per {
            1 => (strip.lo.clone(), strip.hi.clone()),
            per => {
                let end = call(Prim::Min, mul(strip.hi.clone(), int(per)), var(self.sizes[&whole]));
                (mul(strip.lo.clone(), int(per)), end)
            }
        }
    }
    /// The scalar temporary that `s` copies to a scalar result.
    fn copied_total(&self, s: &Stmt) -> Option<TensorId> {
        let Stmt::Assign { lhs, op: None, rhs: Expr::Access(t) } = s else { return None };
        let scalar = |a: &Access, kind| {
            let t = &self.program.tensors[a.tensor];
            t.kind == kind && t.format.rank() == 0
        };
        let same = self.program.tensors[lhs.tensor].dtype == self.program.tensors[t.tensor].dtype;
        (same && scalar(lhs, Kind::Result) && scalar(t, Kind::Temp)).then_some(t.tensor)
    }
    /// The variable of which `v` counts blocks, and their size; `v` itself where it is no computed coordinate.
    fn whole_of(&self, v: IndexId) -> Result<(IndexId, i64), String> {
        let Some(d) = &self.program.indices[v].derived else { return Ok((v, 1)) };
        let blocks = (0..d.remap.coords.len()).filter_map(|k| d.remap.quotient_of(k));
        match blocks.into_iter().find(|(q, ..)| *q == d.coord) {
            Some((_, mode, size)) => Ok((d.mode(mode), size)),
            None => Err(format!("the loops over the computed coordinate `{}` cannot be cut", self.name(v))),
        }
    }
    fn name(&self, v: IndexId) -> &str {
        &self.program.indices[v].name
    }

    fn join_of(&self, result: &Access, whole: IndexId, per: i64) -> Result<Join, String> {
        let t = &self.program.tensors[result.tensor];
        let appended = t.format.levels.iter().any(|l| !l.is_dense());
        if t.format.rank() > 0 && self.var_of(result, 0) == whole {
            let outermost = t.format.levels[0].is_dense() || per == 1;
            let known = |r: ArrayRole| matches!(r, ArrayRole::Pos | ArrayRole::Crd);
            let follow = t.format.levels.iter().all(|l| l.spec.arrays.iter().all(|a| known(a.role)));
            return match appended {
                false => Ok(Join::Slices { per }),
                true if !self.phase.assembles() => self.join_given(result, per),
                true if outermost && follow => Ok(Join::Stitch),
                true => Err(format!("pieces of `{}` cannot be stitched", t.name)),
            };
        }
        if appended {
            let name = self.name(whole);
            return Err(format!("the outermost level of `{}` is not over `{name}`", t.name));
        }
        self.combined(result.tensor)
    }
    /// Where the structure of the result is given, a part's values are found if the first stored level lists the rows of
    /// dense ones, and all other levels are dense.
    fn join_given(&self, result: &Access, per: i64) -> Result<Join, String> {
        let t = &self.program.tensors[result.tensor];
        let mut stored = (0..t.format.depth()).filter(|&k| !t.format.levels[k].is_dense());
        match (stored.next(), stored.next()) {
            (Some(level), None) if level > 0 && t.format.levels[level].in_segments() => {
                Ok(Join::Given { level, per })
            }
            _ => Err(format!("the given structure of `{}` is followed from its first element", t.name)),
        }
    }
    /// Every part accumulates into all elements of a tensor, from a first value that may count several times.
    fn combined(&self, target: TensorId) -> Result<Join, String> {
        let t = &self.program.tensors[target];
        let body = &self.program.body;
        let mut ops =
            body.assignments().into_iter().filter(|(lhs, ..)| lhs.tensor == target).map(|(_, op, _)| op);
        let Some(Some(op)) = ops.next() else {
            return Err(format!("`{}` is assigned in no order that slices follow", t.name));
        };
        let same = ops.all(|other| other.is_some_and(|o| o.name == op.name));
        let neutral = op.identity_at(1, t.dtype).is_some_and(|id| id.same(t.fill)) || op.idempotent;
        if same && op.associative && op.commutative && neutral {
            Ok(Join::Combine(op))
        } else {
            Err(format!("parts of `{}` cannot be combined by {}", t.name, op.name))
        }
    }

    /// Makes the kernel one over a part of a variable, and gives the scope to lower it in.
    pub(crate) fn cut_into(&mut self, chunks: Chunks) -> Scope {
        let v = chunks.var;
        let name = self.name(v).to_string();
        let begin = self.kernel.param(&format!("{name}_begin"));
        let end = self.kernel.param(&format!("{name}_end"));
        self.params.extend([crate::Param::Begin(v), crate::Param::End(v)]);
        let strip = Strip { v, lo: var(begin), hi: var(end) };
        let mut scope = Scope { part: Some(strip.clone()), ..Scope::default() };
        if matches!(chunks.join, Join::Slices { .. } | Join::Stitch) {
            self.cut_result(v, &strip, &mut scope);
        }
        self.part = Some(Part { chunks, strip, cut: Cut::NotYet });
        scope
    }
    /// A result whose outermost level is dense has the coordinates of the part only, counted from its first one.
    fn cut_result(&mut self, v: IndexId, strip: &Strip, scope: &mut Scope) {
        let assigned = self.program.body.assignments().into_iter().map(|(lhs, ..)| lhs);
        let mut results = assigned.filter(|a| self.program.tensors[a.tensor].kind == Kind::Result);
        let result = results.next().expect("chunks are chosen for programs with a result").clone();
        if !self.program.tensors[result.tensor].format.levels[0].is_dense() {
            return;
        }
        let (whole, _) = self.whole_of(v).expect("checked when the variable was chosen");
        let (lo, hi) = self.elements(strip);
        let name = self.name(whole).to_string();
        let shift = self.kernel.index(&format!("{name}_shift"));
        let part = self.kernel.index(&format!("{name}_part"));
        self.prologue.push(Code::Let { var: shift, val: call(Prim::Sub, int(0), lo.clone()) });
        self.prologue.push(Code::Let { var: part, val: call(Prim::Sub, hi, lo) });
        let ir = self.tensors.get_mut(&result.tensor).expect("every tensor is declared");
        ir.levels[0].size = var(part);
        scope.bases.insert((result, 0), var(shift));
    }

    /// Why the loops that were lowered cannot be cut after all, or how their results are joined.
    pub(crate) fn parallel(&self) -> Parallel {
        let Some(part) = &self.part else { return Parallel::Serial { because: String::new() } };
        let name = self.name(part.strip.v);
        match &part.cut {
            Cut::Done => Parallel::Chunks(part.chunks.clone()),
            Cut::NotYet => Parallel::Serial { because: format!("there is no loop over `{name}`") },
            Cut::Impossible(because) => Parallel::Serial { because: because.clone() },
        }
    }
    /// Notes that a loop over `v` visits the part only.
    pub(crate) fn note_cut(&mut self, v: IndexId) {
        if let Some(part) = self.part.as_mut().filter(|p| p.strip.v == v && matches!(p.cut, Cut::NotYet)) {
            part.cut = Cut::Done;
        }
    }

    /// Narrows a walk to the coordinates of the strip or the part.
    ///
    /// ```text
    /// if i_begin > 0 { search pA1 }       the first position whose coordinate is at least i_begin
    /// if i_end < i_dim { search A1_end }  the first one whose coordinate is at least i_end
    /// ```
    pub(crate) fn narrowed(
        &mut self,
        iter: Cursor,
        v: IndexId,
        scope: &Scope,
        code: &mut Vec<Code>,
    ) -> Cursor {
        let Some(Strip { lo, hi, .. }) = scope.cut(v).cloned() else { return iter };
        let searchable = iter.is_searchable();
        let stop = self.kernel.index(&format!("{}_stop", self.name(v)));
        code.push(Code::Let { var: stop, val: iter.end.clone() });
        match &iter.coord {
            Coord::Stored { .. } | Coord::Listed { .. } if searchable => {
                let first = self.start_of(v);
                let end = self.end_of(v, scope);
                let search = self.search(&iter, iter.pos, (var(iter.pos), var(stop)), lo.clone());
                code.push(Code::If { cond: lt(first, lo), then: search, other: Vec::new() });
                let search = self.search(&iter, stop, (var(iter.pos), var(stop)), hi.clone());
                code.push(Code::If { cond: lt(hi, end), then: search, other: Vec::new() });
            }
            Coord::Counted { base, low } if searchable => {
                let at = |bound: Ir| add(call(Prim::Sub, bound, low.clone()), base.clone());
                code.push(set(iter.pos, call(Prim::Max, var(iter.pos), at(lo))));
                // A part beyond the interval is empty, not less than that.
                let last = call(Prim::Min, var(stop), at(hi));
                code.push(set(stop, call(Prim::Max, var(iter.pos), last)));
            }
            Coord::Stored { .. }
            | Coord::Listed { .. }
            | Coord::Counted { .. }
            | Coord::Is(_)
            | Coord::Stepped { .. } => {
                let because = format!("an operand's level over `{}` cannot be searched", self.name(v));
                if let Some(part) = self.part.as_mut() {
                    part.cut = Cut::Impossible(because);
                }
            }
        }
        self.note_cut(v);
        Cursor { end: var(stop), ..iter }
    }

    /// Sets `found` to the first position in a range whose coordinate is at least `bound`, or to its end.
    fn search(&mut self, iter: &Cursor, found: VarId, (lo, hi): (Ir, Ir), bound: Ir) -> Vec<Code> {
        let (first, last) = (self.kernel.index("first"), self.kernel.index("last"));
        let middle = self.kernel.index("middle");
        let half = call(Prim::Shr, add(var(first), var(last)), int(1));
        let before = lt(iter.coord.at(&self.kernel, var(middle)), bound);
        let step = vec![
            Code::Let { var: middle, val: half },
            Code::If {
                cond: before,
                then: vec![set(first, add(var(middle), int(1)))],
                other: vec![set(last, var(middle))],
            },
        ];
        vec![
            Code::Let { var: first, val: lo },
            Code::Let { var: last, val: hi },
            Code::While { cond: lt(var(first), var(last)), body: step },
            set(found, var(first)),
        ]
    }
}

impl Chunks {
    /// One line for reports.
    pub fn describe(&self, name: &str) -> String {
        match self.join {
            Join::Slices { .. } => format!("chunks of {name}, each writes its slice of the result"),
            Join::Stitch => format!("chunks of {name}, their pieces of the result are stitched"),
            Join::Given { .. } => {
                format!("chunks of {name}, each computes its values of the given structure")
            }
            Join::Combine(op) => format!("chunks of {name}, their results are combined by {}", op.name),
            Join::Place => format!("chunks of {name}, each places its elements after all were counted"),
        }
    }
}
