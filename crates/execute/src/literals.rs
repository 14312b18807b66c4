//! The literals of a statement that its kernels read from memory ([`openwork_loops::literals`]).

use openwork_algebra::DType;
use openwork_base::{Id, Result};
use openwork_loops::{BufRole, Literals, LoopKernel as Loops, outline};
use openwork_lower::Binding;
use openwork_runtime::{BufferSlot, Room, Shelf};
use openwork_storage::Buffer;
use std::fmt::Write;
use std::sync::Arc;

/// The literals of all kernels of a statement, one array for each dtype.
#[derive(Clone, Debug, Default)]
pub struct Tables(Vec<Buffer>);

impl Tables {
    /// Arrays with these literals.
    ///
    /// # Errors
    /// `E0603` where there is no memory for them.
    pub fn new(literals: &Literals) -> Result<Tables> {
        let table = |(dtype, all): (DType, &[openwork_algebra::Scalar])| {
            let mut table = Buffer::zeros(dtype, all.len())?;
            all.iter().enumerate().for_each(|(n, s)| table.set(n, *s));
            Ok(table)
        };
        literals.tables().map(table).collect::<Result<_>>().map(Tables)
    }
    /// What the buffers of a kernel are bound to that come after those it was lowered with: literals, and memory of its own, from
    /// `shelf` where that is the kernel's.
    pub(crate) fn slots<'t>(
        &'t self,
        kernel: &Loops,
        lowered: usize,
        shelf: Option<&Arc<Shelf>>,
    ) -> impl Iterator<Item = BufferSlot<'t>> {
        let own = move |number| shelf.map_or_else(Room::new, |shelf| Room::from_shelf(shelf.clone(), number));
        let more = kernel.bufs.iter().skip(lowered);
        more.filter_map(move |(id, buf)| match buf.role {
            BufRole::In => self.0.iter().find(|t| t.dtype() == buf.elem).map(BufferSlot::Read),
            BufRole::Out | BufRole::Temp => Some(BufferSlot::Grow(own(id.index()))),
        })
    }
    /// One line for each array that a kernel reads: its name, and what it holds.
    pub fn describe(&self, kernel: &Loops, lowered: usize) -> Vec<String> {
        let line = |(_, buf): (_, &openwork_loops::Buf)| {
            let mut line = format!("{}:", buf.name);
            let table = self.0.iter().find(|t| t.dtype() == buf.elem);
            table.into_iter().flat_map(Buffer::iter).for_each(|s| {
                let _ = write!(line, " {s}");
            });
            line
        };
        kernel.bufs.iter().skip(lowered).filter(|(_, buf)| buf.role == BufRole::In).map(line).collect()
    }
}

/// The kernel with inputs in place of literals.
pub fn outline_literals(kernel: Loops, bindings: &[Binding], literals: &mut Literals) -> Loops {
    outline(kernel, |b| matches!(bindings.get(b.index()), Some(Binding::Values { .. })), literals)
}
