//! The sizes of index variables, as they follow from operands and flags.
//!
//! A variable belongs to its statement: another statement may have one of the same name and another size. What is computed
//! takes its sizes to the statements that read it.

use crate::request::Request;
use openwork_index::Window;
use openwork_index::notation::{IndexSum, IndexTerm, Name, TensorRef};
use std::collections::BTreeMap;

/// What is known of the sizes of index variables.
pub(crate) struct VarSizes<'a> {
    request: &'a Request,
    /// By the number of the statement, and the variable's name.
    known: BTreeMap<(usize, &'a str), usize>,
}

impl<'a> VarSizes<'a> {
    /// Nothing.
    pub(crate) fn empty(request: &'a Request) -> VarSizes<'a> {
        VarSizes { request, known: BTreeMap::new() }
    }
    /// What the flags say.
    pub(crate) fn from_flags(request: &'a Request) -> VarSizes<'a> {
        let mut sizes = VarSizes::empty(request);
        for (n, statement) in request.statements.iter().enumerate() {
            let given = statement.index_names().into_iter();
            let given = given.filter_map(|name| Some(((n, name), *request.dims.get(name)?)));
            sizes.known.extend(given);
            let mut take = |t: &'a TensorRef| {
                for index in &t.indices {
                    // Of a mode that is read where a value says, the text of that.
                    if let Some(&size) = request.dims.get(&index.text) {
                        sizes.known.insert((n, index.text.as_str()), size);
                    }
                }
                let counts =
                    t.indices.iter().zip(t.mode_windows()).filter_map(|(i, w)| Some((i, w.count()?)));
                counts.for_each(|(i, count)| _ = sizes.known.entry((n, i.text.as_str())).or_insert(count));
            };
            statement.each_tensor(&mut take);
            if !statement.lhs.positions.is_empty() {
                take(&statement.lhs);
            }
        }
        for (name, shape) in &request.shapes {
            sizes.put(name, &shape.iter().copied().map(Some).collect::<Vec<_>>());
        }
        sizes.through_results();
        sizes
    }
    /// The size of every mode of a tensor, where one of its index variables has a size; the largest of several.
    pub(crate) fn mode_sizes(&self, name: &str) -> Vec<Option<usize>> {
        if let Some(shape) = self.request.shapes.get(name) {
            return shape.iter().copied().map(Some).collect();
        }
        let places = self.request.places(name);
        let of_place = |n: usize, p: &TensorRef, mode: usize| match p.index_sum(mode) {
            Some(sum) => self.room_of_sum(n, &sum),
            None => {
                let count = *self.known.get(&(n, p.indices.get(mode)?.text.as_str()))?;
                mode_size(p.window(mode), count)
            }
        };
        let size = |mode: usize| places.iter().filter_map(|(n, place)| of_place(*n, place, mode)).max();
        (0..self.request.rank(name)).map(size).collect()
    }
    /// The size of the smallest mode that has every coordinate which a sum comes to, where its variables have sizes.
    fn room_of_sum(&self, statement: usize, sum: &IndexSum) -> Option<usize> {
        let mut last = sum.constant;
        for IndexTerm { name, coefficient } in &sum.terms {
            let count = *self.known.get(&(statement, name.as_str()))?;
            let most = i64::try_from(count.checked_sub(1)?).ok()?;
            last = last.checked_add(coefficient.checked_mul(most)?.max(0))?;
        }
        usize::try_from(last.checked_add(1)?).ok()
    }
    /// The shape of a tensor, if all of it is known.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.mode_sizes(name).into_iter().collect()
    }
    /// Takes the shape of a tensor to be known. Contradictions are left to the checker of statements, which points at both
    /// places.
    pub(crate) fn learn(&mut self, name: &str, shape: &[usize]) {
        self.put(name, &shape.iter().copied().map(Some).collect::<Vec<_>>());
        self.through_results();
    }
    /// Takes the larger of what is known and the shape of a tensor.
    pub(crate) fn grow(&mut self, name: &str, shape: &[usize]) {
        for (n, place) in self.request.places(name) {
            for (index, size) in variable_counts(place, shape.iter().copied().map(Some)) {
                let known = self.known.entry((n, index.text.as_str())).or_insert(0);
                *known = size.max(*known);
            }
        }
    }
    /// Takes over what is not known yet.
    pub(crate) fn fill_from(&mut self, others: VarSizes<'a>) {
        for (index, size) in others.known {
            self.known.entry(index).or_insert(size);
        }
        self.through_results();
    }
    /// Whether all places of a tensor agree on the sizes of its modes.
    pub(crate) fn consistent(&self, name: &str) -> bool {
        let known = self.mode_sizes(name);
        self.request.places(name).iter().all(|(n, place)| {
            let counts = variable_counts(place, known.iter().copied());
            counts.filter(|(index, _)| !self.request.statements[*n].is_shifted(name, &index.text)).all(
                |(index, size)| {
                    let variable = self.known.get(&(*n, index.text.as_str()));
                    variable.is_none_or(|known| *known == size)
                },
            )
        })
    }
    /// The first index variable of a tensor that has no size, and its statement.
    pub(crate) fn find_unsized(&self, name: &str) -> Option<(usize, &'a Name)> {
        let places = self.request.places(name).into_iter();
        let mut indices = places.flat_map(|(n, p)| p.indices.iter().map(move |i| (n, i)));
        indices.find(|(n, i)| !self.known.contains_key(&(*n, i.text.as_str())))
    }
    /// What is computed is as large where it is read as where it is computed.
    fn through_results(&mut self) {
        loop {
            let before = self.known.len();
            for name in self.request.results() {
                self.put(name, &self.mode_sizes(name));
            }
            if self.known.len() == before {
                return;
            }
        }
    }
    fn put(&mut self, name: &str, sizes: &[Option<usize>]) {
        for (n, place) in self.request.places(name) {
            for (index, size) in variable_counts(place, sizes.iter().copied()) {
                // Beside sums, a variable may take fewer values than the mode has.
                if self.request.statements[n].is_shifted(name, &index.text) {
                    continue;
                }
                self.known.entry((n, index.text.as_str())).or_insert(size);
            }
        }
    }
}

/// The variables of a place with how many values they take there, where the sizes of the modes are known. What a window that
/// does not fit comes to is left to the checker.
fn variable_counts(
    place: &TensorRef,
    modes: impl Iterator<Item = Option<usize>>,
) -> impl Iterator<Item = (&Name, usize)> {
    let windows = place.indices.iter().zip(place.mode_windows());
    windows.zip(modes).filter_map(|((index, window), size)| Some((index, window.reach(size?).ok()?.count)))
}

/// The size of a mode of which a window has so many coordinates, if that tells one: the largest that does, up to the end
/// of the window.
fn mode_size(window: Window, count: usize) -> Option<usize> {
    if window.step < 0 {
        return window.room(count);
    }
    let far = count.checked_mul(window.step as usize);
    let reached = || usize::try_from(window.lo).ok()?.checked_add(far?);
    match window.hi {
        None if window.lo < 0 => Some(window.lo.unsigned_abs() as usize),
        None => reached(),
        Some(hi) if hi < 0 => reached()?.checked_add(hi.unsigned_abs() as usize),
        Some(hi) => Some(hi as usize),
    }
}
