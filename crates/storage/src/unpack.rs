//! From a format back into coordinates.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::dispatch;
use crate::tensor::Tensor;
use crate::walk;
use openwork_base::Result;

/// Every stored value of `t` with its coordinates, in storage order: explicit zeros and the gaps of dense levels
/// included, duplicates of formats that are not unique kept apart.
///
/// # Errors
/// E0603 when the arrays are too large.
///
/// ```
/// use openwork_algebra::{DType, Scalar};
/// use openwork_format::presets;
/// use openwork_storage::{Coo, pack, unpack};
/// let coo = Coo::from_entries(&[2, 9], DType::I32, &[(vec![1, 7], Scalar::I32(4))])?;
/// assert_eq!(unpack(&pack(&coo, &presets::csc(), Scalar::I32(0))?)?, coo);
/// # Ok::<(), openwork_base::Error>(())
/// ```
pub fn unpack(t: &Tensor) -> Result<Coo> {
    let n = t.nnz();
    let mut coords = Vec::new();
    for &dim in t.shape() {
        coords.push(Buffer::zeros(Coo::coord_dtype(dim), n)?);
    }
    let mut order = Order::Storage(0);
    {
        let mut slots: Vec<Slots> = coords.iter_mut().filter_map(Slots::of).collect();
        walk::positions(t, |at, p| {
            let e = order.visit(p);
            for (slot, &c) in slots.iter_mut().zip(at) {
                slot.set(e, c);
            }
        });
    }
    let vals = match order {
        Order::Storage(_) => t.vals().duplicate()?,
        Order::Listed(positions) => {
            let mut vals = Buffer::zeros(t.dtype(), positions.len())?;
            dispatch!(t.dtype(), T => {
                let from = t.vals().as_slice::<T>().unwrap_or(&[]);
                for (slot, &p) in vals.as_mut_slice::<T>().unwrap_or(&mut []).iter_mut().zip(&positions) {
                    *slot = from[p];
                }
            });
            vals
        }
    };
    for c in &mut coords {
        c.truncate(vals.len());
    }
    Coo::new(t.shape().to_vec(), coords, vals)
}

/// The positions in the order of the walk; nothing is listed while the walk simply counts up.
enum Order {
    Storage(usize),
    Listed(Vec<usize>),
}

impl Order {
    /// Notes a visit and returns its number.
    fn visit(&mut self, p: usize) -> usize {
        match self {
            Order::Storage(n) if *n == p => {
                *n += 1;
                p
            }
            Order::Storage(n) => {
                let n = *n;
                *self = Order::Listed((0..n).chain([p]).collect());
                n
            }
            Order::Listed(list) => {
                list.push(p);
                list.len() - 1
            }
        }
    }
}

/// A coordinate array being written.
enum Slots<'a> {
    I32(&'a mut [i32]),
    I64(&'a mut [i64]),
}

impl<'a> Slots<'a> {
    fn of(buffer: &'a mut Buffer) -> Option<Slots<'a>> {
        match buffer.dtype() {
            openwork_algebra::DType::I32 => buffer.as_mut_slice().map(Slots::I32),
            _ => buffer.as_mut_slice().map(Slots::I64),
        }
    }
    fn set(&mut self, e: usize, c: usize) {
        match self {
            Slots::I32(s) => s[e] = c as i32,
            Slots::I64(s) => s[e] = c as i64,
        }
    }
}
