//! Memory of a kernel's own that nobody reads.
//!
//! ```text
//! w_slots = reserve(n)                          w_bits = reserve(n)
//! w_slots[k] += a_val                =>         w_bits[k] = 1
//! w_bits[k] = 1                                 … w_bits[k] …
//! ```

use crate::nodes::{BufId, BufRole, LoopKernel, Stmt};
use crate::walk::blocks_mut;
use std::collections::BTreeSet;

/// Removes what is done to `Temp` buffers that are never loaded from.
pub(super) fn drop_unread(kernel: &mut LoopKernel) {
    let loaded = kernel.loaded_buffers();
    let own = kernel.bufs.iter().filter(|(_, b)| b.role == BufRole::Temp).map(|(id, _)| id);
    let unread: BTreeSet<BufId> = own.filter(|id| !loaded.contains(id)).collect();
    if !unread.is_empty() {
        drop_block(&mut kernel.body, &unread);
    }
}

fn drop_block(body: &mut Vec<Stmt>, unread: &BTreeSet<BufId>) {
    body.retain_mut(|s| {
        if let Stmt::Store { buf, .. } | Stmt::Reserve { buf, .. } = s {
            return !unread.contains(buf);
        }
        blocks_mut(s).for_each(|b| drop_block(b, unread));
        true
    });
}
