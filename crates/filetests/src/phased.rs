//! Results in two kernels, one for their structure and one for their values, beside the same in one.

use crate::case::Case;
use crate::pipeline::{CompilerPipeline, RunWay, SPREADS, bits};
use openwork::{Decls, Kernel, Phases, Session};
use openwork_algebra::Scalar;
use openwork_base::{Error, Result};
use openwork_storage::{Buffer, Tensor, unpack};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The compiler with phases: where a statement has them, the structure that one assembles is that of the whole kernel,
/// for operands with other values too, but for elements that the whole kernel leaves out as their values are the fill value,
/// and the values that the other computes are its bits, in chunks and in one piece.
pub struct Phased {
    whole: CompilerPipeline,
    met: Mutex<BTreeMap<String, usize>>,
}

impl Phased {
    /// The phases of `whole`'s kernels.
    pub fn new(whole: CompilerPipeline) -> Phased {
        Phased { whole, met: Mutex::default() }
    }
    /// How many kernels had phases, and why others had none.
    pub fn phase_counts(&self) -> BTreeMap<String, usize> {
        self.met.lock().expect("no thread panics while it counts").clone()
    }
    fn count(&self, what: &str) {
        *self.met.lock().expect("no thread panics while it counts").entry(what.into()).or_default() += 1;
    }
}

impl RunWay for Phased {
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
        let kernel = session.compile_scheduled(&case.text, decls, &case.commands()?)?;
        let whole = kernel.run(operands)?.tensor;
        let mut phases = match session.compile_phases_scheduled(&case.text, decls, &case.commands()?) {
            Ok(phases) => phases,
            Err(e) if e.code().0 == "E0409" => {
                self.count(e.to_string().lines().next().unwrap_or("").rsplit(": ").next().unwrap_or(""));
                return Ok(whole);
            }
            Err(e) => return Err(e),
        };
        self.count(&format!(
            "in phases, {}",
            phases.value_kernel().parallel().split(", ").last().unwrap_or("")
        ));
        let others = other_values(operands);
        let others: Vec<(&str, &Tensor)> = others.iter().map(|(n, t)| (n.as_str(), t)).collect();
        for (chunks, threads) in [(1, 1)].into_iter().chain(SPREADS) {
            phases = phases.with_chunks(chunks).with_threads(threads);
            check(&kernel, &phases, operands, &others, &whole)?;
        }
        Ok(whole)
    }
}

type TensorsByName<'a> = &'a [(&'a str, &'a Tensor)];

/// Whether phases make the bits of `whole`, from a pattern that was made for other values.
fn check(
    kernel: &Kernel,
    phases: &Phases,
    operands: TensorsByName,
    others: TensorsByName,
    whole: &Tensor,
) -> Result<()> {
    let wrong = |what: &str| Err(Error::bug("phases", what, kernel.stages().loops_text()));
    let pattern = phases.pattern(others)?;
    let same = pattern.tensor().levels() == whole.levels();
    for _ in 0..2 {
        let computed = match phases.compute(&pattern, operands) {
            // What is not stored may be NaN for these values.
            Err(e) if e.code().0 == "E0409" => return Ok(()),
            // Where values say what an operand stores, zeros say something else.
            Err(e) if e.code().0 == "E0213" && e.to_string().contains("values of an operand say") => {
                return Ok(());
            }
            computed => computed?.tensor,
        };
        if !same && index_bytes(pattern.tensor()) <= index_bytes(whole) {
            return wrong("another structure");
        }
        let alike = match same {
            true => bits(&computed) == bits(whole),
            false => list_elements(&computed)? == list_elements(whole)?,
        };
        if !alike || computed.format() != whole.format() {
            return wrong("other values");
        }
    }
    Ok(())
}

fn index_bytes(t: &Tensor) -> usize {
    t.levels().iter().flat_map(|l| &l.arrays).map(Buffer::bytes).sum()
}

/// The elements that are not the fill value, as text.
fn list_elements(t: &Tensor) -> Result<Vec<String>> {
    let entries = unpack(t)?.sorted_entries();
    let told = entries.iter().filter(|(_, v)| !v.is_same(t.fill()));
    Ok(told.map(|e| format!("{e:?}")).collect())
}

/// The operands with all values zero.
fn other_values(operands: &[(&str, &Tensor)]) -> Vec<(String, Tensor)> {
    let zeros = |t: &Tensor| {
        let p = t.clone().into_parts();
        let mut vals = Buffer::zeros(p.vals.dtype(), p.vals.len()).expect("as large as what is there");
        (0..vals.len()).for_each(|n| vals.set(n, Scalar::zero(vals.dtype())));
        Tensor::new_checked(p.shape, p.format, p.fill, p.levels, vals)
    };
    operands.iter().map(|(n, t)| ((*n).to_string(), zeros(t).unwrap_or_else(|_| (*t).clone()))).collect()
}
