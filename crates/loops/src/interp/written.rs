//! A record of the elements that have been written, for buffers that hold nothing in particular before.

use crate::nodes::{BufId, Init, LoopKernel};
use openwork_base::Id;

/// One entry per buffer; `None` where reading what was not written is allowed.
pub(super) struct WrittenElements(Vec<Option<Marks>>);

#[derive(Default)]
struct Marks {
    elements: Vec<bool>,
    /// The largest room that was made.
    room: usize,
    announced: Option<usize>,
}

impl WrittenElements {
    /// Nothing is written yet.
    pub(super) fn new(kernel: &LoopKernel) -> WrittenElements {
        let marks = |init| (init == Init::Uninit).then(Marks::default);
        WrittenElements(kernel.bufs.iter().map(|(_, b)| marks(b.init)).collect())
    }
    fn marks(&mut self, buf: BufId) -> Option<&mut Marks> {
        self.0.get_mut(buf.index())?.as_mut()
    }
    /// Whether an element may be read.
    pub(super) fn holds(&self, buf: BufId, at: usize) -> bool {
        let marks = self.0.get(buf.index()).and_then(Option::as_ref);
        marks.is_none_or(|m| m.elements.get(at).copied().unwrap_or(false))
    }
    /// An element is written.
    pub(super) fn write(&mut self, buf: BufId, at: usize) {
        if let Some(m) = self.marks(buf) {
            if at >= m.elements.len() {
                m.elements.resize((at + 1).next_power_of_two(), false);
            }
            m.elements[at] = true;
        }
    }
    /// There is room for `len` elements.
    pub(super) fn reserve(&mut self, buf: BufId, len: usize) {
        if let Some(m) = self.marks(buf) {
            m.room = m.room.max(len);
        }
    }
    /// The first `len` elements are the result.
    pub(super) fn announce(&mut self, buf: BufId, len: usize) {
        if let Some(m) = self.marks(buf) {
            m.announced = Some(len);
        }
    }
    /// An element of the result that was not written, and how many elements the result has.
    pub(super) fn gap(&self) -> Option<(BufId, usize, usize)> {
        self.0.iter().enumerate().find_map(|(n, marks)| {
            let m = marks.as_ref()?;
            let len = m.announced.unwrap_or(m.room);
            let at = (0..len).find(|&at| !m.elements.get(at).copied().unwrap_or(false))?;
            Some((BufId::new(n), at, len))
        })
    }
}
