//! The tensor of the arrays that a run made.

use crate::bind::same_layout;
use crate::job::{CodeOrigin, Job};
use crate::signature::Extents;
use crate::spares::BoundArray;
use openwork_algebra::Scalar;
use openwork_base::{Diagnostic, Error, Result, SlotCount};
use openwork_format::{ArrayRole, Format};
use openwork_index::cin::AssemblyMode;
use openwork_loops::text;
use openwork_lower::{Binding, Phase};
use openwork_storage::tensor::TensorParts;
use openwork_storage::{Buffer, LevelArrays, Maker, Tensor};

impl Job<'_> {
    /// The tensor that a run made. Where it made no values, all of them are `true`.
    ///
    /// # Errors
    /// A bug where the arrays are no valid tensor; `E0601` where code of the caller's made them.
    pub fn tensor(self, own: Vec<BoundArray>, extents: &Extents) -> Result<Tensor> {
        let t = self.declaration();
        let mut levels: Vec<LevelArrays> = t.format.levels.iter().map(|_| LevelArrays::default()).collect();
        let mut vals = Buffer::empty(t.dtype);
        for (binding, buffer) in own {
            match binding {
                Binding::Index { level, .. } => levels[level].arrays.push(self.fit(binding, buffer)),
                Binding::Values { .. } => vals = self.fit(binding, buffer),
                Binding::Scratch | Binding::Kept | Binding::Cursors | Binding::Keys => {}
            }
        }
        let shape = self.shape(&extents.sizes);
        // The widths that the kernel was lowered with.
        let (pos, crd) = (t.format.width(ArrayRole::Pos), t.format.width(ArrayRole::Crd));
        let mut format = t.declared_format().with_widths(pos, crd);
        let mut fill = t.fill;
        if self.phase == Phase::Assemble {
            (fill, format.fill) = (Scalar::Bool(false), None);
            vals = Buffer::from(vec![true; elements(&t.format, &levels, &shape)]);
        }
        let maker = match self.program.assembly {
            AssemblyMode::InOrder => Maker::InOrder,
            AssemblyMode::OutOfOrder(_) => Maker::OutOfOrder,
        };
        let parts = TensorParts { shape, format, fill, levels, vals };
        match self.code.by {
            // SAFETY: the kernel was lowered for this format, and obeys the law, which was checked after every pass.
            CodeOrigin::Backend => unsafe { parts.made_by(maker) }.map_err(|e| {
                let loops = text::print(&self.lowered.kernel);
                Error::bug("run", format!("the result is not a valid tensor: {e}"), loops)
            }),
            CodeOrigin::Caller => Tensor::try_from(parts).map_err(|e| match e {
                Error::Rejected(d) => {
                    let message =
                        format!("the code that was given made no valid `{}`: {}", t.name, d.message);
                    Error::rejection(Diagnostic { message, ..*d })
                }
                e => e,
            }),
        }
    }
    /// An array in memory of about its size; larger memory waits for the next run, for which it may be needed.
    fn fit(self, binding: Binding, buffer: Buffer) -> Buffer {
        if !buffer.is_wide() {
            return buffer;
        }
        match buffer.fit(self.code.spares.take(binding)) {
            Ok(fitted) => {
                self.shelve(binding, buffer);
                fitted
            }
            Err(_) => buffer,
        }
    }
    /// Keeps memory for the values of the next run, if nobody else has it.
    pub fn keep_values(self, values: Buffer) {
        if values.dtype() == self.declaration().dtype && !values.is_shared() {
            self.code.spares.keep([(Binding::Values { tensor: self.result() }, values)]);
        }
    }
    /// Keeps the memory of a result of this kernel for its next run, unless it is stored otherwise.
    pub fn recycle(self, tensor: Tensor) {
        if self.code.signature.layout.as_ref().is_none_or(|own| !same_layout(tensor.format(), own)) {
            return;
        }
        // Arrays that others have as well are not ours to write to.
        self.code.spares.keep(self.arrays_of(tensor).filter(|(_, buffer)| !buffer.is_shared()));
    }
    /// Keeps the memory of a result that nobody sees for the next run, as far as shelves may hold it.
    pub fn shelve_tensor(self, tensor: Tensor) {
        self.arrays_of(tensor).for_each(|(binding, buffer)| self.shelve(binding, buffer));
    }
    /// The arrays of a result of this kernel.
    fn arrays_of(self, tensor: Tensor) -> impl Iterator<Item = BoundArray> {
        let (result, parts) = (self.result(), tensor.into_parts());
        let of_level = move |(level, arrays): (usize, LevelArrays)| {
            let arrays = arrays.arrays.into_iter().enumerate();
            arrays.map(move |(array, buffer)| (Binding::Index { tensor: result, level, array }, buffer))
        };
        let levels = parts.levels.into_iter().enumerate().flat_map(of_level);
        levels.chain([(Binding::Values { tensor: result }, parts.vals)])
    }
}

/// How many values belong to the positions of appended levels.
fn elements(format: &Format, levels: &[LevelArrays], shape: &[usize]) -> usize {
    let per_level = |(k, arrays): (usize, &LevelArrays)| {
        let crd = format.levels[k].spec.arrays.iter().position(|a| a.role == ArrayRole::Crd);
        (crd.map(|n| arrays.arrays[n].len()), shape[format.modes[k]])
    };
    let all = levels.iter().enumerate().map(per_level).fold(SlotCount::ONE, |above, (listed, size)| {
        listed.map_or(above.times(size), |n| SlotCount::ONE.times(n))
    });
    all.saturate()
}
