//! Kernels of several statements that are one ([`openwork_loops::join`]): its code, and the calls of it.
//!
//! Every statement binds its own operands and results, as it would alone; a call of the joined kernel takes the arguments of
//! all of them, those that are the same once, and each statement gets what it makes.

use crate::literals::Tables;
use openwork_backend::{Backend, Compiled};
use openwork_base::{Error, Id, Result};
use openwork_loops::{BufRole, JoinedKernel, LoopKernel, text};
use openwork_runtime::{BufferSlot, KernelCache, KernelResult, PieceArgs};
use std::sync::Arc;

/// A joined kernel that is ready to run.
pub struct JoinedCode {
    pub(crate) compiled: Arc<dyn Compiled>,
    /// The loops that were compiled.
    pub(crate) loops: LoopKernel,
    literals: Tables,
    /// For each member and each of its parameters, which of the joined kernel's that is; the same for buffers.
    params: Vec<Vec<usize>>,
    bufs: Vec<Vec<usize>>,
    /// How many buffers the joined kernel had when it was made of its members.
    lowered: usize,
}

impl JoinedCode {
    /// Compiles `loops`, which passes made of a joined kernel, with the literals that they read from memory.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    pub fn compile(
        backend: &Arc<dyn Backend>,
        cache: &Arc<KernelCache>,
        joined: JoinedKernel,
        loops: LoopKernel,
        literals: Tables,
    ) -> Result<JoinedCode> {
        let (compiled, _) = cache.get(&**backend, &loops)?;
        let lowered = joined.member_buffers();
        let JoinedKernel { params, bufs, .. } = joined;
        Ok(JoinedCode { compiled, loops, literals, params, bufs, lowered })
    }
    /// About how many bytes of code there are.
    pub fn bytes(&self) -> usize {
        self.compiled.bytes()
    }
    /// The loops that were compiled.
    pub fn loops(&self) -> &LoopKernel {
        &self.loops
    }
    /// How many kernels it is of.
    pub fn members(&self) -> usize {
        self.bufs.len()
    }
    /// The number of a member's buffer among those of the joined kernel.
    pub(crate) fn buffer(&self, member: usize, number: usize) -> Option<usize> {
        self.bufs.get(member)?.get(number).copied()
    }
    /// One call of what would be one call for each member.
    ///
    /// # Errors
    /// A bug where members are given different things for what they share.
    pub(crate) fn join_args<'s>(&'s self, members: Vec<PieceArgs<'s>>) -> Result<PieceArgs<'s>> {
        let differ = |what: &str| Error::bug("run", format!("joined kernels differ in {what}"), "");
        let mut params: Vec<Option<i64>> = vec![None; self.loops.params.len()];
        let mut slots: Vec<Option<BufferSlot>> = (0..self.lowered).map(|_| None).collect();
        for ((own, numbers), buffers) in members.into_iter().zip(&self.params).zip(&self.bufs) {
            for (value, &number) in own.params.into_iter().zip(numbers) {
                if *params[number].get_or_insert(value) != value {
                    return Err(differ("a size"));
                }
            }
            for (slot, &number) in own.slots.into_iter().zip(buffers) {
                match (&slots[number], slot) {
                    (None, slot) => slots[number] = Some(slot),
                    (Some(BufferSlot::Read(a)), BufferSlot::Read(b)) if std::ptr::eq(*a, b) => {}
                    (Some(_), _) => return Err(differ("an operand")),
                }
            }
        }
        let params: Option<Vec<i64>> = params.into_iter().collect();
        let slots: Option<Vec<BufferSlot>> = slots.into_iter().collect();
        let mut slots = slots.ok_or_else(|| differ("their buffers"))?;
        slots.extend(self.literals.slots(&self.loops, self.lowered, None));
        Ok(PieceArgs { params: params.ok_or_else(|| differ("their parameters"))?, slots })
    }
    /// What a call made, member by member.
    ///
    /// # Errors
    /// A bug where the call made something else than the members do.
    pub(crate) fn split_results(&self, made: Vec<KernelResult>) -> Result<Vec<Vec<KernelResult>>> {
        let mut members: Vec<Vec<KernelResult>> = self.bufs.iter().map(|_| Vec::new()).collect();
        let outs = self.loops.bufs.iter().filter(|(_, buf)| buf.role == BufRole::Out);
        let bug = || Error::bug("run", "a result belongs to no statement", text::print(&self.loops));
        for ((id, _), result) in outs.zip(made) {
            let owner = self.bufs.iter().position(|own| own.contains(&id.index())).ok_or_else(bug)?;
            members[owner].push(result);
        }
        Ok(members)
    }
}
