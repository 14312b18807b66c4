//! A record of the programs of which a graph or an estimate was made: tests hold planning to one of each.

use openwork_index::Program;
use std::cell::RefCell;

/// The programs that were asked about, in order.
#[derive(Clone, Debug, Default)]
pub struct AskedPrograms {
    /// Those of which a graph was made.
    pub graphs: Vec<Program>,
    /// Those that were estimated.
    pub estimates: Vec<Program>,
}

thread_local! {
    static ASKED: RefCell<Option<AskedPrograms>> = const { RefCell::new(None) };
}

/// What `f` returns, and what it asks about on this thread.
pub fn watch<T>(f: impl FnOnce() -> T) -> (T, AskedPrograms) {
    ASKED.set(Some(AskedPrograms::default()));
    let out = f();
    (out, ASKED.take().unwrap_or_default())
}

pub(crate) fn note_graph(program: &Program) {
    note(|asked| asked.graphs.push(program.clone()));
}

pub(crate) fn note_estimate(program: &Program) {
    note(|asked| asked.estimates.push(program.clone()));
}

fn note(write: impl FnOnce(&mut AskedPrograms)) {
    ASKED.with_borrow_mut(|asked| asked.as_mut().map(write));
}
