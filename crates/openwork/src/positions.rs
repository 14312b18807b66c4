//! Positions that a statement computes ([`openwork_index::positions`]), looked at before it runs.
//!
//! ```text
//! y(i) = x(p(i))      p between 0 and the size of x less 1: known as long as nobody can write to p
//!                     else a kernel marks the places at which p is no position of x, and x is needed
//! ```

use crate::kernel::Kernel;
use crate::stages::Stages;
use crate::unread::is_read;
use openwork_algebra::Scalar;
use openwork_base::{Code, Diagnostic, Error, Result};
use openwork_execute::is_coordinate;
use openwork_index::positions::{PositionCheck, PositionChecks};
use openwork_index::schedule::Schedule;
use openwork_index::{IndexExpr, IndexId, TensorId};
use openwork_lower::Phase;
use openwork_planner::Planner;
use openwork_storage::{Buffer, Tensor};
use std::collections::BTreeMap;
use std::time::Instant;

impl Kernel {
    /// Looks at positions that operands say.
    ///
    /// # Errors
    /// `E0608` for one that is needed and lies outside of its mode; as [`Kernel::run`] for operands that do not fit.
    pub(crate) fn check_positions(&self, given: &[(&str, &Tensor)]) -> Result<()> {
        let Some(positions) = &self.stages.positions else { return Ok(()) };
        let sizes = find_sizes(positions, given);
        for (n, check) in positions.checks.iter().enumerate() {
            let size = match find_given(positions, check.access.tensor, given) {
                Some(tensor) => tensor.shape().get(check.mode).copied(),
                None => sizes.get(&check.var).copied(),
            };
            let Some(size) = size else { continue };
            let given_by = |id: TensorId| find_given(positions, id, given);
            let tensors = &positions.assignment.tensors;
            let known = |v: IndexId| sizes.get(&v).copied();
            if size > 0 && is_coordinate(&check.value, size, tensors, &given_by, &known)? {
                continue;
            }
            // Nothing is read where there is no place.
            if check.around.iter().any(|v| known(*v) == Some(0)) {
                continue;
            }
            let count = Tensor::dense(&[], Buffer::from(vec![size as i64]))?;
            let reads = self.stray_finder(n, positions)?;
            let name = positions.size_name.as_str();
            let mut all: Vec<(&str, &Tensor)> = given.to_vec();
            all.push((name, &count));
            all.retain(|(name, _)| is_read(&reads.stages, name));
            let marks = reads.run(&all)?.tensor;
            if let Some(place) = first_marked(&marks) {
                return Err(refuse_stray(positions, check, size, &place, given));
            }
            if size == 0 && !check.scattered {
                return Err(refuse_empty(positions, check));
            }
        }
        Ok(())
    }
    /// The kernel that marks where a position is none.
    fn stray_finder(&self, n: usize, positions: &PositionChecks) -> Result<&Kernel> {
        if let Some(made) = self.stray_finders[n].get() {
            return Ok(made);
        }
        let start = Instant::now();
        // Such operands are rare: the statement is built as it is.
        let planner = Planner::new(&self.compiler.registry, f64::INFINITY);
        let target = self.compiler.backend.target();
        let statement = positions.failure_statement(n);
        let stages = Stages::from_assignment(&statement, &Schedule::new(), planner, &target)?;
        let compiler = self.compiler.clone();
        let mut made = Kernel::from_stages(stages, compiler, Phase::Fused, self.threading, start)?;
        made.asked = None;
        Ok(self.stray_finders[n].get_or_init(|| Box::new(made)))
    }
}

fn find_given<'t>(
    positions: &PositionChecks,
    id: TensorId,
    given: &[(&str, &'t Tensor)],
) -> Option<&'t Tensor> {
    let name = &positions.assignment.tensors[id].given;
    given.iter().find(|(n, _)| n == name).map(|(_, t)| *t)
}

/// How many values variables take, from the operands that have them.
fn find_sizes(positions: &PositionChecks, given: &[(&str, &Tensor)]) -> BTreeMap<IndexId, usize> {
    let a = &positions.assignment;
    let mut sizes: BTreeMap<IndexId, usize> =
        a.indices.iter().filter_map(|(v, i)| Some((v, i.size?))).collect();
    for access in &a.reads {
        let Some(tensor) = find_given(positions, access.tensor, given) else { continue };
        for (mode, (&v, &size)) in access.vars.iter().zip(tensor.shape()).enumerate() {
            let count = match a.tensors[access.tensor].windows.get(mode) {
                Some(window) => window.reach(size).map_or(0, |r| r.count),
                None => size,
            };
            sizes.insert(v, count);
        }
    }
    sizes
}

/// The coordinates of the first mark.
fn first_marked(marks: &Tensor) -> Option<Vec<usize>> {
    let mut first: Option<Vec<usize>> = None;
    marks.for_each(|coords, marked| {
        if marked.truthy() && first.as_ref().is_none_or(|known| coords < &known[..]) {
            first = Some(coords.to_vec());
        }
    });
    first
}

/// The values of a statement at one place.
struct PlaceValues<'a> {
    positions: &'a PositionChecks,
    given: &'a [(&'a str, &'a Tensor)],
    coords: BTreeMap<IndexId, usize>,
}

impl PlaceValues<'_> {
    fn coord(&self, v: IndexId) -> Option<usize> {
        match self.positions.assignment.rhs.position_of(v) {
            _ if self.coords.contains_key(&v) => self.coords.get(&v).copied(),
            Some(value) => usize::try_from(self.value(value)?.as_i64()).ok(),
            // The only coordinate of a window.
            None => Some(0),
        }
    }
    fn value(&self, e: &IndexExpr) -> Option<Scalar> {
        match e {
            IndexExpr::Literal(s) => Some(*s),
            IndexExpr::Index(v) => Some(Scalar::I64(self.coord(*v)? as i64)),
            IndexExpr::Cast { to, arg } => Some(self.value(arg)?.cast(*to)),
            IndexExpr::Call { op, args } => {
                let args: Option<Vec<Scalar>> = args.iter().map(|a| self.value(a)).collect();
                op.eval(&args?)
            }
            IndexExpr::Access(a) => {
                let tensor = find_given(self.positions, a.tensor, self.given)?;
                let windows = &self.positions.assignment.tensors[a.tensor].windows;
                let place = |(mode, (&v, &size)): (usize, (&IndexId, &usize))| {
                    let coord = self.coord(v)?;
                    match windows.get(mode) {
                        Some(window) => {
                            window.reach(size).ok().map(|r| (r.start as i64 + coord as i64 * r.step) as usize)
                        }
                        None => Some(coord),
                    }
                };
                let place: Option<Vec<usize>> =
                    a.vars.iter().zip(tensor.shape()).enumerate().map(place).collect();
                tensor.get(&place?)
            }
            IndexExpr::Map { .. }
            | IndexExpr::Width(_)
            | IndexExpr::Beside { .. }
            | IndexExpr::Predicate { .. }
            | IndexExpr::Stored { .. }
            | IndexExpr::WithFill { .. }
            | IndexExpr::Reduce { .. } => None,
        }
    }
}

const OUTSIDE: Code = Code("E0608");

/// The refusal of a position that is none, at the first place that has one.
fn refuse_stray(
    positions: &PositionChecks,
    check: &PositionCheck,
    size: usize,
    place: &[usize],
    given: &[(&str, &Tensor)],
) -> Error {
    let a = &positions.assignment;
    let coords = check.over.iter().copied().zip(place.iter().copied()).collect();
    let value = PlaceValues { positions, given, coords }.value(&check.value);
    let value = value.map_or("no coordinate".to_string(), |v| v.as_i64().to_string());
    let names = check.over.iter().zip(place).map(|(&v, n)| format!("{} = {n}", a.indices[v].name));
    let names: Vec<String> = names.collect();
    let at = if names.is_empty() { String::new() } else { format!(" at {}", names.join(", ")) };
    let text = positions.value_text(check);
    let tensor = &a.tensors[check.access.tensor].given;
    let message =
        format!("`{text}` is {value}{at}, and mode {} of `{tensor}` has {size} coordinates", check.mode);
    let d = Diagnostic::new(OUTSIDE, message).point_at(&a.source, a.indices[check.var].span, "");
    let help = match check.scattered {
        true => {
            "positions count from 0 and do not wrap; what is for no place is left out so: y(p(i)) += where(p(i) >= 0, x(i), 0)"
        }
        false => {
            "positions count from 0 and do not wrap; where one is not needed, say so: where(p(i) >= 0, x(p(i)), 0)"
        }
    };
    Error::rejection(d.help(help))
}

/// The refusal of a mode that has no coordinate to read at, though none is needed.
fn refuse_empty(positions: &PositionChecks, check: &PositionCheck) -> Error {
    let a = &positions.assignment;
    let tensor = &a.tensors[check.access.tensor].given;
    let text = positions.value_text(check);
    let message = format!("`{text}` is no coordinate of mode {} of `{tensor}`, which has none", check.mode);
    let d = Diagnostic::new(OUTSIDE, message).point_at(&a.source, a.indices[check.var].span, "");
    Error::rejection(d.help("give an operand with at least one coordinate there"))
}
