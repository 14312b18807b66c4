//! Where buffers are.
//!
//! A kernel of a few buffers reads their addresses when it starts and after they may have moved. With many, most are on the
//! stack anyway, and the allocator of registers takes time that grows with the square of what is alive everywhere: an
//! address is read where it is used then, and before an innermost loop for all of its rounds. A product of 32 sums took
//! 1.8 s to compile with all of them read at the start, and takes 0.4.

use crate::emit::Emit;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::Variable;
use openwork_backend::abi::BufferArg;
use openwork_base::{Id, Result};
use openwork_loops::{BufId, BufRole, Stmt, each_stmt, mentions_buffer};
use std::mem::{offset_of, size_of};

/// The most buffers whose addresses are read at the start.
const HELD: usize = 64;

/// Where one buffer is.
#[derive(Clone, Copy)]
pub(crate) enum BufAddress {
    /// In variables.
    Held {
        /// Its first element.
        ptr: Variable,
        /// Elements that there is room for, only of buffers that the kernel grows.
        cap: Option<Variable>,
    },
    /// Where the caller's slot says, and in a register in the loop at hand.
    Read {
        /// Its first element.
        near: Option<Value>,
    },
}

impl Emit<'_, '_> {
    /// Finds all buffers, when the kernel starts.
    pub(crate) fn find_buffers(&mut self) {
        let k = self.k;
        for id in k.bufs.ids() {
            if k.bufs.len() > HELD {
                self.addresses.push(BufAddress::Read { near: None });
                continue;
            }
            let ptr = self.b.declare_var(types::I64);
            let cap = grows(&k.body, id).then(|| self.b.declare_var(types::I64));
            self.addresses.push(BufAddress::Held { ptr, cap });
            self.reload_address(id);
        }
    }
    /// Reads where a buffer is, at entry and after it may have moved.
    pub(crate) fn reload_address(&mut self, buf: BufId) {
        let BufAddress::Held { ptr, cap } = self.addresses[buf.index()] else { return };
        let value = self.slot(buf, offset_of!(BufferArg, ptr));
        self.b.def_var(ptr, value);
        if let Some(cap) = cap {
            let value = self.slot(buf, offset_of!(BufferArg, cap));
            self.b.def_var(cap, value);
        }
    }
    /// Reads the addresses of inputs once more: none of them is held over the calls before, of which few registers come back,
    /// so that none is on the stack in the loops that follow. The allocator writes one that is there back and reads it again in
    /// every round: sums of columns took 1.2 to 1.7 times as long.
    pub(crate) fn inputs_again(&mut self) {
        for (id, buf) in self.k.bufs.iter() {
            if buf.role == BufRole::In {
                self.reload_address(id);
            }
        }
    }
    /// The address of a buffer's first element, if there is such a buffer.
    pub(crate) fn address(&mut self, buf: BufId) -> Option<Value> {
        Some(match *self.addresses.get(buf.index())? {
            BufAddress::Held { ptr, .. } => self.b.use_var(ptr),
            BufAddress::Read { near: Some(ptr) } => ptr,
            BufAddress::Read { near: None } => self.slot(buf, offset_of!(BufferArg, ptr)),
        })
    }
    /// How many elements a buffer that grows has room for.
    pub(crate) fn capacity(&mut self, buf: BufId) -> Option<Value> {
        match self.addresses[buf.index()] {
            BufAddress::Held { cap, .. } => cap.map(|cap| self.b.use_var(cap)),
            BufAddress::Read { .. } => Some(self.slot(buf, offset_of!(BufferArg, cap))),
        }
    }
    fn slot(&mut self, buf: BufId, field: usize) -> Value {
        let at = (buf.index() * size_of::<BufferArg>() + field) as i32;
        self.b.ins().load(types::I64, MemFlagsData::trusted(), self.slots, at)
    }
    /// Emits a loop with `emit`, which finds in registers what it uses and does not grow, if there is no loop inside.
    pub(crate) fn with_addresses(
        &mut self,
        s: &Stmt,
        emit: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let mut loops = 0;
        each_stmt(std::slice::from_ref(s), &mut |s| {
            loops += usize::from(matches!(s, Stmt::For { .. } | Stmt::While { .. }));
        });
        if loops > 1 || self.k.bufs.len() <= HELD {
            return emit(self);
        }
        let whole = std::slice::from_ref(s);
        let near = |buf: &BufId| mentions_buffer(s, *buf) && !grows(whole, *buf);
        let used: Vec<BufId> = self.k.bufs.ids().filter(near).collect();
        for &buf in &used {
            let ptr = self.slot(buf, offset_of!(BufferArg, ptr));
            self.addresses[buf.index()] = BufAddress::Read { near: Some(ptr) };
        }
        let done = emit(self);
        for buf in used {
            self.addresses[buf.index()] = BufAddress::Read { near: None };
        }
        done
    }
}

/// Whether some statement grows the buffer.
fn grows(stmts: &[Stmt], buf: BufId) -> bool {
    let mut found = false;
    each_stmt(stmts, &mut |s| found |= matches!(s, Stmt::Reserve { buf: b, .. } if *b == buf));
    found
}
