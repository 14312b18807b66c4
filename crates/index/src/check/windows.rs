//! Operands that are read through windows: each is a tensor of its own, a part of what the caller gives.
//!
//! ```text
//! y(i) = x(i(1:9)) - x(i(0:8))        two operands of eight values, both given as x
//! ```

use super::{Checker, Decl, WINDOW};
use crate::expr::{Holds, IndexId, TensorId, TensorKind, TensorVar};
use crate::notation::TensorRef;
use crate::window::{Beyond, Reach, Window};
use openwork_base::{Arena, Error, Result};

impl Checker<'_> {
    /// The windows of an access, or nothing where it reads all of its tensor.
    pub(super) fn windows_of(t: &TensorRef) -> Vec<Window> {
        let windows: Vec<Window> = t.mode_windows().collect();
        if windows.iter().all(Window::is_whole) { Vec::new() } else { windows }
    }
    /// Records that a variable ranges over mode `mode` of a tensor, or over its window there.
    pub(super) fn size_mode(&mut self, v: IndexId, t: &TensorRef, mode: usize, size: usize) -> Result<()> {
        let (span, window) = (t.indices[mode].span, t.window(mode));
        let what = format!("mode {mode} of `{}`", t.name.text);
        if window.is_whole() {
            return self.size_index(v, size, span, &what);
        }
        match window.reach(size) {
            Ok(Reach { count, .. }) => self.size_index(v, count, span, &format!("`{window}` of {what}")),
            Err(beyond) => {
                let message = format!("`{window}` is no window of {what}: it has {beyond}");
                Err(Error::rejection(self.reject(WINDOW, message, span).help(Beyond::HELP)))
            }
        }
    }
    /// The operand that is this part of the tensor called `name`; declares it on first sight.
    pub(super) fn operand(
        &mut self,
        name: &str,
        decl: &Decl,
        rank: usize,
        holds: Holds,
        windows: Vec<Window>,
    ) -> Result<TensorId> {
        let key = (name.to_string(), holds, windows);
        if let Some(&id) = self.operand_ids.get(&key) {
            return Ok(id);
        }
        let own = match (holds, name == self.result_name, key.2.is_empty()) {
            (Holds::Structure, ..) => self.name_of_structure(name),
            (Holds::Values, true, _) => self.name_of_old_value(),
            (Holds::Values, false, true) => name.to_string(),
            (Holds::Values, false, false) => self.name_of_part(name),
        };
        let id = self.declare(own, name, decl, TensorKind::Operand, rank)?;
        if let Some(shape) = &decl.shape {
            let part = |n: Option<usize>| n.map(|n| share(n, shape, &key.2));
            let of_parts = (part(decl.stored), part(decl.elements));
            (self.tensors[id].stored, self.tensors[id].elements) = of_parts;
        }
        self.tensors[id].windows.clone_from(&key.2);
        if holds == Holds::Structure {
            self.as_structure(id);
        }
        self.operand_ids.insert(key, id);
        Ok(id)
    }
    fn name_of_part(&self, name: &str) -> String {
        self.free_name((2..).map(|n| format!("{name}_{n}")))
    }
    /// The first of these names that no tensor has.
    pub(super) fn free_name(&self, mut names: impl Iterator<Item = String>) -> String {
        let taken =
            |n: &String| self.decls.tensors.contains_key(n) || self.tensors.iter().any(|(_, t)| t.name == *n);
        names.find(|n| !taken(n)).unwrap_or_default()
    }
}

/// About how many of `stored` values lie in windows of a tensor of this shape.
fn share(stored: usize, shape: &[usize], windows: &[Window]) -> usize {
    let part =
        |(w, &size): (&Window, &usize)| w.reach(size).map_or(1.0, |r| r.count as f64 / size.max(1) as f64);
    (stored as f64 * windows.iter().zip(shape).map(part).product::<f64>()) as usize
}

/// Gives each first part of a tensor the name of that, where nothing else has it.
pub(super) fn name_parts(tensors: &mut Arena<TensorId, TensorVar>) {
    for id in tensors.ids() {
        let given = tensors[id].given.clone();
        if tensors[id].is_windowed()
            && !tensors[id].is_structure()
            && tensors.iter().all(|(_, t)| t.name != given)
        {
            tensors[id].name = given;
        }
    }
}
