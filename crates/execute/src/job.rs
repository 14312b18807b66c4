//! A job: a compiled kernel, the program that it was lowered from, and what else a run of it needs to know.

use crate::literals::Tables;
use crate::load::Load;
use crate::signature::Extents;
use crate::signature::Signature;
use crate::spares::Spares;
use crate::threading::Threading;
use openwork_backend::{Backend, Compiled};
use openwork_base::{Result, SlotCount};
use openwork_format::{ArrayRole, Format};
use openwork_index::{IndexId, Program, TensorId, TensorKind, TensorVar as Declared};
use openwork_loops::sizes::SizeProduct;
use openwork_loops::{Init, LoopKernel as Loops};
use openwork_lower::{Binding, Lowered, Phase, is_appended};
use openwork_runtime::{Cached, KernelCache, Room, Shelf, ShelfUse};
use openwork_storage::{Buffer, Tensor};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The elements of a product per element of its operands for which there is room at first.
pub(crate) const PER_OPERAND: usize = 8;

/// Who made the code of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeOrigin {
    /// A backend, of loops that obey the law: what it makes is valid.
    Backend,
    /// Somebody else: what it makes is looked at.
    Caller,
}

/// The code of a kernel, and memory of results that were given back to it.
pub struct KernelCode {
    /// What runs ask of the program that it computes.
    pub(crate) signature: Signature,
    /// How much the last run did.
    pub(crate) load: Load,
    /// What the kernel multiplies of its sizes, found by the first run.
    pub(crate) products: OnceLock<Vec<SizeProduct>>,
    pub(crate) compiled: Arc<dyn Compiled>,
    pub(crate) by: CodeOrigin,
    /// What compiles the passes of an assembly, once they are worth it.
    pub(crate) passes: Option<(Arc<dyn Backend>, Arc<KernelCache>)>,
    /// Memory of recycled results.
    pub spares: Spares,
    /// Memory of workspaces between two calls.
    pub(crate) shelf: Arc<Shelf>,
}

impl KernelCode {
    /// What every run asks of its program.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }
    /// Compiles the loops of a kernel for a program, or finds them in the cache. `passes`: there are passes of an assembly as well, which
    /// are compiled when a run needs them.
    ///
    /// # Errors
    /// `E0501` when the backend cannot compile.
    pub fn compile(
        backend: &Arc<dyn Backend>,
        cache: &Arc<KernelCache>,
        program: &Program,
        loops: &Loops,
        passes: bool,
    ) -> Result<(KernelCode, Cached)> {
        let (compiled, cached) = cache.get(&**backend, loops)?;
        let passes = passes.then(|| (backend.clone(), cache.clone()));
        let signature = Signature::from_program(program);
        let (load, products) = (Load::default(), OnceLock::new());
        let by = CodeOrigin::Backend;
        let code = KernelCode {
            signature,
            load,
            products,
            compiled,
            by,
            passes,
            spares: Spares::default(),
            shelf: Arc::default(),
        };
        Ok((code, cached))
    }
    /// Code of the caller's that computes a program as a kernel of its would; what it makes is checked as tensors of
    /// anybody are.
    pub fn from_compiled(compiled: Box<dyn Compiled>, program: &Program) -> KernelCode {
        let (signature, compiled) = (Signature::from_program(program), Arc::from(compiled));
        let (load, products, by) = (Load::default(), OnceLock::new(), CodeOrigin::Caller);
        KernelCode {
            signature,
            load,
            products,
            compiled,
            by,
            passes: None,
            spares: Spares::default(),
            shelf: Arc::default(),
        }
    }
    /// About how many bytes of code there are.
    pub fn bytes(&self) -> usize {
        self.compiled.bytes()
    }
}

/// A kernel that is ready to run: its code, and the stages that say what its parameters and buffers are. Whoever makes one
/// answers for its parts being of one kernel: the code was compiled of these loops, which the passes made of what this program
/// was lowered to.
#[derive(Clone, Copy)]
pub struct Job<'k> {
    /// The program that was lowered.
    pub program: &'k Program,
    /// Its loops as they were lowered, with what parameters and buffers mean.
    pub lowered: &'k Lowered,
    /// The loops that were compiled.
    pub loops: &'k Loops,
    /// What these read in place of literals.
    pub literals: &'k Tables,
    /// The code.
    pub code: &'k KernelCode,
    /// Which part of the work on its result it does.
    pub phase: Phase,
    /// On how many threads.
    pub threading: Threading,
}

/// The arguments of one run.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    /// The operand for each declared tensor.
    pub operands: &'a BTreeMap<TensorId, &'a Tensor>,
    /// How far index variables range.
    pub extents: &'a Extents,
    /// The structure of the result, where the kernel only computes its values.
    pub structure: Option<&'a Tensor>,
}

/// The dense blocks that a result has below a list.
pub(crate) struct DenseBlocks<'t> {
    /// The values of each.
    pub(crate) size: usize,
    /// Operands, and those of their levels that list what the result does.
    pub(crate) lists: Vec<(&'t Tensor, usize)>,
}

/// How many elements a level lists, if it is a list.
fn elements_at(t: &Tensor, level: usize) -> Option<usize> {
    let arrays = &t.format().levels.get(level)?.spec.arrays;
    let number = arrays.iter().position(|a| a.role == ArrayRole::Crd)?;
    t.level(level).arrays.get(number).map(Buffer::len)
}

impl<'k> Job<'k> {
    /// The tensor that is computed.
    pub fn result(self) -> TensorId {
        let found = self.program.tensors.iter().find(|(_, t)| t.kind == TensorKind::Result);
        found.map(|(id, _)| id).expect("every program has a result")
    }
    /// How it is declared.
    pub(crate) fn declaration(self) -> &'k Declared {
        &self.program.tensors[self.result()]
    }

    /// The shape of the result over index variables that take so many values.
    pub fn shape(self, sizes: &[usize]) -> Vec<usize> {
        self.code.signature.shape(sizes)
    }

    /// Memory of an earlier result for the same array, if there is some.
    pub(crate) fn spare(self, binding: Binding) -> Option<Buffer> {
        // On the shelf is what may have room for more than a result has.
        let shelved = self.number_of(binding).and_then(|n| self.code.shelf.take(n));
        shelved.or_else(|| self.code.spares.take(binding))
    }
    /// The number of the buffer that is bound to something.
    fn number_of(self, binding: Binding) -> Option<usize> {
        self.lowered.bindings.iter().position(|b| *b == binding)
    }
    /// Keeps memory that was a part of a result, or a result that nobody sees, for the same array of the next run.
    pub(crate) fn shelve(self, binding: Binding, memory: Buffer) {
        if let Some(number) = self.number_of(binding).filter(|_| !memory.is_shared()) {
            let _ends = ShelfUse::begin(&self.code.shelf);
            self.code.shelf.put_spare(number, memory);
        }
    }
    /// Room for an array of the result: sized by the operands where it is appended to.
    pub(crate) fn room(self, binding: Binding, arguments: &Arguments) -> Room {
        let (program, lowered) = (self.program, self.lowered);
        let declared = lowered.bindings.iter().zip(lowered.kernel.bufs.iter()).find(|(b, _)| **b == binding);
        let init = declared.map_or(Init::Zeros, |(_, (_, buf))| buf.init);
        let operands = arguments.operands;
        if !is_appended(binding, program) {
            let values = binding == Binding::Values { tensor: self.result() };
            let expected = if values { self.in_blocks(arguments) } else { 0 };
            return Room { expected, init, ..Room::new() };
        }
        let stored: usize = operands.values().filter(|t| !t.format().is_dense()).map(|t| t.slots()).sum();
        // Address space that is not written costs nothing.
        let expected = if self.multiplies() { stored.saturating_mul(PER_OPERAND) } else { stored };
        Room { expected, init, ..Room::new() }
    }

    /// About how many values a result has that are dense blocks below a list: one for each element of this list that an
    /// operand has; none where there is no such list.
    fn in_blocks(self, arguments: &Arguments) -> usize {
        self.blocks(arguments).map_or(0, |blocks| {
            let count: usize = blocks.lists.iter().filter_map(|&(t, level)| elements_at(t, level)).sum();
            count.saturating_mul(blocks.size)
        })
    }
    /// The dense blocks that a result has below a list, if it has a list and an operand lists the same.
    pub(crate) fn blocks<'t>(self, arguments: &Arguments<'t>) -> Option<DenseBlocks<'t>> {
        let (program, declared) = (self.program, self.declaration());
        let list = declared.format.levels.iter().rposition(|l| !l.is_dense())?;
        let var = |vars: &[IndexId], format: &Format, level: usize| {
            format.modes.get(level).and_then(|&mode| vars.get(mode)).copied()
        };
        let wanted = var(&self.code.signature.result, &declared.format, list)?;
        let shape = self.shape(&arguments.extents.sizes);
        let inner: Vec<usize> =
            declared.format.modes[list + 1..].iter().map(|&m| shape.get(m).copied().unwrap_or(1)).collect();
        let listed = |(id, vars): &(TensorId, Vec<IndexId>)| {
            let (t, format) = (*arguments.operands.get(id)?, &program.tensors[*id].format);
            let here = |&level: &usize| var(vars, format, level) == Some(wanted);
            let level = (0..format.levels.len()).find(here)?;
            elements_at(t, level).map(|_| (t, level))
        };
        let mut lists: Vec<(&'t Tensor, usize)> = Vec::new();
        for (t, level) in self.code.signature.modes.iter().filter_map(listed) {
            // An operand that is read twice lists the same.
            if !lists.iter().any(|&(known, at)| std::ptr::eq(known, t) && at == level) {
                lists.push((t, level));
            }
        }
        let size = SlotCount::product(&inner).saturate();
        (!lists.is_empty()).then_some(DenseBlocks { size, lists })
    }

    /// Whether the result may have many more elements than the operands: it comes from a sparse workspace.
    pub(crate) fn multiplies(self) -> bool {
        let sparse = |t: &Declared| t.kind == TensorKind::Temp && !t.format.is_dense();
        self.program.tensors.iter().any(|(_, t)| sparse(t))
    }
}
