//! Cases as statements that keep their kernels: one plan serves operands of all sizes of the same order, whichever came first, and
//! so does the memory of its workspaces. The statements are built, where the case has their text.

use crate::case::{Case, CaseOperand};
use crate::pipeline::{CompilerPipeline, RunWay, bits, run_again};
use crate::rebuilt::rebuild;
use openwork::{Decls, Session, Statement};
use openwork_base::{Error, Result, Source};
use openwork_index::notation::parse;
use openwork_index::size_order;
use openwork_storage::Tensor;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A compiler that runs each case as a [`Statement`] which computed with operands of other sizes before: the kernel must be the one
/// that a statement without a past has, and computes what the case says, to the same bits.
pub struct ReusedStatement {
    whole: CompilerPipeline,
    shared: AtomicUsize,
    ran: AtomicUsize,
}

impl ReusedStatement {
    /// With the sessions of `whole`.
    pub fn new(whole: CompilerPipeline) -> ReusedStatement {
        ReusedStatement { whole, shared: AtomicUsize::new(0), ran: AtomicUsize::new(0) }
    }
    /// How many kernels were made for other sizes.
    pub fn shared_count(&self) -> usize {
        self.shared.load(Ordering::Relaxed)
    }
    /// How many computed with other sizes first.
    pub fn ran_count(&self) -> usize {
        self.ran.load(Ordering::Relaxed)
    }
}

/// The most that a size of the same order can be, up to where cases are large.
fn largest_of_order(n: usize) -> usize {
    (n..200).take_while(|&m| size_order(m) == size_order(n)).last().unwrap_or(n)
}

/// The same elements in a larger tensor of the same order, counted from its end: what a run leaves behind lies elsewhere.
fn enlarge(t: &CaseOperand) -> Result<Tensor> {
    let shape: Vec<usize> = t.shape.iter().map(|&n| largest_of_order(n)).collect();
    let mirrored = |at: &Vec<usize>| at.iter().zip(&shape).map(|(c, n)| n - 1 - c).collect();
    let entries = t.entries.iter().map(|(at, value)| (mirrored(at), *value)).collect();
    CaseOperand { shape: shape.clone(), entries, ..t.clone() }.pack()
}

fn state(case: &Case, decls: &Decls, names: &[&str]) -> Result<Statement> {
    let read = parse(&Source::new("statement", case.text.as_str()))?;
    let mut statement = Statement::new(&rebuild(&read)?, names.iter().copied())?;
    let result = case.result_name();
    if let Some(decl) = decls.tensors.get(result).filter(|_| !names.contains(&result)) {
        statement.result = decl.clone();
    }
    (statement.dims, statement.schedule) = (case.dims.clone(), case.commands()?);
    statement.arithmetic = decls.arithmetic;
    Ok(statement)
}

impl RunWay for ReusedStatement {
    fn compiler(&self) -> &CompilerPipeline {
        &self.whole
    }
    fn result(
        &self,
        session: &Session,
        case: &Case,
        decls: &Decls,
        operands: &[(&str, &Tensor)],
    ) -> Result<Tensor> {
        let names: Vec<&str> = operands.iter().map(|(name, _)| *name).collect();
        let given: Vec<&Tensor> = operands.iter().map(|(_, t)| *t).collect();
        let used = state(case, decls, &names)?;
        let larger =
            names.iter().map(|name| case.operand(name).map(enlarge)).collect::<Option<Result<Vec<_>>>>();
        // Windows and formats may refuse other sizes.
        if let Some(Ok(larger)) = larger
            && let Ok(kernel) = used.kernel(session, &larger.iter().collect::<Vec<_>>())
        {
            let named: Vec<_> = names.iter().copied().zip(&larger).collect();
            let ran = kernel.run(&named).is_ok();
            self.ran.fetch_add(usize::from(ran), Ordering::Relaxed);
        }
        let before = used.kernels();
        let kernel = used.kernel(session, &given)?;
        self.shared.fetch_add(usize::from(before > 0 && used.kernels() == before), Ordering::Relaxed);
        let fresh = state(case, decls, &names)?.kernel(session, &given)?;
        let (mine, other) = (kernel.stages().loops_text(), fresh.stages().loops_text());
        if mine != other {
            return Err(Error::bug(
                "plan",
                "another kernel after operands of other sizes",
                format!("{mine}\n{other}"),
            ));
        }
        let tensor = run_again(&kernel, operands)?;
        if bits(&tensor) != bits(&fresh.run(operands)?.tensor) {
            return Err(Error::bug("run", "other bits after operands of other sizes", mine));
        }
        Ok(tensor)
    }
}
