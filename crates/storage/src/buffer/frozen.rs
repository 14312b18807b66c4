//! Frozen memory, which all copies share and nobody writes to; once it has a single holder, that one may write to it again.

use super::{Buffer, Owner, Writers};
use std::sync::Arc;

impl Buffer {
    /// The same memory, shared by every copy from now on, and written by nobody.
    pub(crate) fn freeze(self) -> Buffer {
        let (dtype, ptr, len) = (self.dtype, self.ptr, self.len);
        match self.owner {
            Owner::Block { .. } if len > 0 => {
                let owner = Owner::Shared(Arc::new(self), Writers::Nobody);
                Buffer { dtype, ptr, len, owner }
            }
            Owner::Block { .. } | Owner::Nothing | Owner::Shared(..) | Owner::Lent => self,
        }
    }
    /// The memory as it was before it was frozen, if nobody else has a copy; else the same.
    pub(crate) fn thaw(mut self) -> Buffer {
        self.owner = match std::mem::replace(&mut self.owner, Owner::Nothing) {
            Owner::Shared(owner, Writers::Nobody) => match owner.downcast::<Buffer>().map(Arc::try_unwrap) {
                Ok(Ok(own)) => return own,
                Ok(Err(frozen)) => Owner::Shared(frozen, Writers::Nobody),
                Err(other) => Owner::Shared(other, Writers::Nobody),
            },
            other => other,
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_memory_until_one_is_left() {
        let buffer = Buffer::from(vec![1i32, 2, 3]);
        let (at, room) = (buffer.as_ptr(), buffer.capacity());
        let frozen = buffer.freeze();
        let copy = frozen.clone();
        assert!(frozen.is_shared() && !frozen.may_change());
        assert_eq!((copy.as_ptr(), copy.as_slice::<i32>()), (at, Some(&[1, 2, 3][..])));
        let still = frozen.thaw();
        assert!(still.is_shared());
        drop(copy);
        let own = still.thaw();
        assert_eq!((own.as_ptr(), own.capacity(), own.is_shared()), (at, room, false));
    }

    #[test]
    fn whoever_writes_has_memory_of_its_own() {
        let frozen = Buffer::from(vec![1i32, 2, 3]).freeze();
        let mut copy = frozen.clone();
        copy.set(0, openwork_algebra::Scalar::I32(9));
        assert_eq!(frozen.as_slice::<i32>(), Some(&[1, 2, 3][..]));
        assert_eq!(copy.as_slice::<i32>(), Some(&[9, 2, 3][..]));
    }
}
