//! A program in several kernels: what is computed before the loops of the result, then these.
//!
//! ```text
//! (forall i forall j y(i) += A(i,j) * t(j)) where (forall j forall k t(j) += B(j,k) * x(k))
//! 0: t as a result, in chunks of j                  1: t as an operand, in chunks of i
//! ```
//! One kernel would run on one thread: no part of the result can be computed before all of the temporary is there. Tensors
//! and index variables keep their numbers.

use crate::step::Piece;
use crate::way::Legality;
use openwork_base::cancel::look;
use openwork_base::{Error, Result};
use openwork_index::cin::AssemblyMode;
use openwork_index::{Access, CinStmt, IndexExpr, Program, TensorId, TensorKind, TensorVar};
use openwork_lower::{Lowered, Parallel};

/// The kernels that compute a program one after the other, where one kernel for all of it could not be divided among threads
/// and these can.
///
/// # Errors
/// A bug in lowering.
pub(crate) fn pieces(program: &Program, lowered: &Lowered, legality: Legality) -> Result<Vec<Piece>> {
    if matches!(lowered.parallel, Parallel::Chunks(_)) || program.assembly != AssemblyMode::InOrder {
        return Ok(Vec::new());
    }
    let programs = split(program, lowered.iteration.graph.leaves_out_fill);
    if programs.len() < 2 {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for (program, temporary) in programs {
        look();
        match legality.lower(&program) {
            Ok(lowered) => all.push(Piece { program, temporary, lowered }),
            // As one kernel it is written, so this costs threads only.
            Err(Error::Unsupported(_)) => return Ok(Vec::new()),
            Err(e) => return Err(e),
        }
    }
    let divided = |p: &Piece| matches!(p.lowered.parallel, Parallel::Chunks(_));
    Ok(if all.iter().any(divided) { all } else { Vec::new() })
}

/// The program with every dense temporary that is filled before all loops as a program of its own; itself where there is
/// none. Whether the result leaves out its fill value follows from the program as a whole.
fn split(program: &Program, leaves_out_fill: bool) -> Vec<(Program, Option<TensorId>)> {
    let mut all = Vec::new();
    let mut rest = program.clone();
    while let Some((temp, consumer, producer)) = first_of(&rest) {
        all.push((filling_program(&rest, temp, producer), Some(temp)));
        rest.body = consumer;
        rest.tensors[temp].kind = TensorKind::Operand;
    }
    rest.directives.leaves_out_fill = leaves_out_fill;
    all.push((rest, None));
    all
}

/// The program of what fills a temporary. A total is added up in a scalar first, as any other.
fn filling_program(program: &Program, temp: TensorId, producer: CinStmt) -> Program {
    let mut filling = Program { body: producer, ..program.clone() };
    let result = filling.tensors.iter().find(|(_, t)| t.kind == TensorKind::Result).map(|(id, _)| id);
    if let Some(result) = result {
        // Nobody asks this one for it.
        filling.tensors[result].kind = TensorKind::Temp;
    }
    if filling.tensors[temp].format.rank() > 0 {
        filling.tensors[temp].kind = TensorKind::Result;
        return filling;
    }
    let total = TensorVar { kind: TensorKind::Result, ..filling.tensors[temp].clone() };
    let scalar = |tensor| Access { tensor, vars: Vec::new() };
    let total = scalar(filling.tensors.push(total));
    let copy = CinStmt::Assign { lhs: total, op: None, rhs: IndexExpr::Access(scalar(temp)) };
    filling.body = CinStmt::Where { consumer: Box::new(copy), producer: Box::new(filling.body) };
    filling
}

/// The dense temporary that is filled before everything else, what reads it, and what fills it.
fn first_of(program: &Program) -> Option<(TensorId, CinStmt, CinStmt)> {
    let CinStmt::Where { consumer, producer } = &program.body else { return None };
    let temp = producer.target()?.tensor;
    let t = &program.tensors[temp];
    // A total that is only copied is combined by the kernel itself.
    let copies = |s: &CinStmt| matches!(s, CinStmt::Assign { op: None, rhs: IndexExpr::Access(_), .. });
    let more = !copies(consumer) && !matches!(**consumer, CinStmt::Multi(_) | CinStmt::Nop);
    let alone = producer.assignments().into_iter().all(|(lhs, ..)| {
        lhs.tensor == temp
            || (program.tensors[lhs.tensor].kind == TensorKind::Temp && is_local(consumer, lhs.tensor))
    });
    let dense = t.kind == TensorKind::Temp && t.format.is_dense() && t.remap.is_none();
    (more && alone && dense).then(|| (temp, (**consumer).clone(), (**producer).clone()))
}

/// Whether a statement does not read a temporary.
fn is_local(s: &CinStmt, temp: TensorId) -> bool {
    s.assignments().into_iter().all(|(_, _, rhs)| rhs.accesses().iter().all(|a| a.tensor != temp))
}
