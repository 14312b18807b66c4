//! A record of the expressions whose fill was asked for: tests hold planning to few questions.

use crate::expr::{IndexExpr, TensorId, TensorVar};
use openwork_algebra::Scalar;
use openwork_base::Arena;
use std::cell::RefCell;

/// An expression that was asked about, with what the answer depends on: whether each operand is full, and its fill value.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedFill {
    /// The expression.
    pub value: IndexExpr,
    /// For each access, in order: nothing for one that has no place outside, else the fill value.
    pub outside: Vec<Option<Scalar>>,
}

thread_local! {
    static ASKED: RefCell<Option<Vec<AskedFill>>> = const { RefCell::new(None) };
}

/// What `f` returns, and the fills that it asks for on this thread.
pub fn watch_fills<T>(f: impl FnOnce() -> T) -> (T, Vec<AskedFill>) {
    ASKED.set(Some(Vec::new()));
    let out = f();
    (out, ASKED.take().unwrap_or_default())
}

pub(crate) fn note_fill(value: &IndexExpr, tensors: &Arena<TensorId, TensorVar>) {
    ASKED.with_borrow_mut(|asked| {
        let Some(asked) = asked else { return };
        let outside = value.accesses().into_iter().map(|a| {
            let t = &tensors[a.tensor];
            (!t.format.is_full()).then_some(t.fill)
        });
        asked.push(AskedFill { value: value.clone(), outside: outside.collect() });
    });
}
