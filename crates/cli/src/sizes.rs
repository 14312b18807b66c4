//! The sizes of index variables, as they follow from operands and flags.
//!
//! A variable belongs to its statement: another statement may have one of the same name and another size. What is computed
//! takes its sizes to the statements that read it.

use crate::request::Request;
use openwork_index::notation::Name;
use std::collections::BTreeMap;

/// What is known of the sizes of index variables.
pub(crate) struct Sizes<'a> {
    request: &'a Request,
    /// By the number of the statement, and the variable's name.
    known: BTreeMap<(usize, &'a str), usize>,
}

impl<'a> Sizes<'a> {
    /// Nothing.
    pub(crate) fn none(request: &'a Request) -> Sizes<'a> {
        Sizes { request, known: BTreeMap::new() }
    }
    /// What the flags say.
    pub(crate) fn of(request: &'a Request) -> Sizes<'a> {
        let mut sizes = Sizes::none(request);
        for (n, statement) in request.statements.iter().enumerate() {
            let given = statement.index_names().into_iter();
            let given = given.filter_map(|name| Some(((n, name), *request.dims.get(name)?)));
            sizes.known.extend(given);
        }
        sizes.through_results();
        sizes
    }
    /// The size of every mode of a tensor, where one of its index variables has a size; the largest of several.
    pub(crate) fn known(&self, name: &str) -> Vec<Option<usize>> {
        let places = self.request.places(name);
        let size = |mode: usize| {
            let indices = places.iter().filter_map(|(n, p)| Some((*n, p.indices.get(mode)?)));
            indices.filter_map(|(n, i)| self.known.get(&(n, i.text.as_str())).copied()).max()
        };
        (0..self.request.rank(name)).map(size).collect()
    }
    /// The shape of a tensor, if all of it is known.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.known(name).into_iter().collect()
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
            for (index, &size) in place.indices.iter().zip(shape) {
                let known = self.known.entry((n, index.text.as_str())).or_insert(0);
                *known = size.max(*known);
            }
        }
    }
    /// Takes over what is not known yet.
    pub(crate) fn fill_from(&mut self, others: Sizes<'a>) {
        for (index, size) in others.known {
            self.known.entry(index).or_insert(size);
        }
        self.through_results();
    }
    /// Whether all places of a tensor agree on the sizes of its modes.
    pub(crate) fn consistent(&self, name: &str) -> bool {
        let known = self.known(name);
        self.request.places(name).iter().all(|(n, place)| {
            let sizes = place.indices.iter().map(|i| self.known.get(&(*n, i.text.as_str())).copied());
            sizes.zip(&known).all(|(size, known)| size.is_none() || size == *known)
        })
    }
    /// The first index variable of a tensor that has no size, and its statement.
    pub(crate) fn unknown(&self, name: &str) -> Option<(usize, &'a Name)> {
        let places = self.request.places(name).into_iter();
        let mut indices = places.flat_map(|(n, p)| p.indices.iter().map(move |i| (n, i)));
        indices.find(|(n, i)| !self.known.contains_key(&(*n, i.text.as_str())))
    }
    /// What is computed is as large where it is read as where it is computed.
    fn through_results(&mut self) {
        loop {
            let before = self.known.len();
            for name in self.request.results() {
                self.put(name, &self.known(name));
            }
            if self.known.len() == before {
                return;
            }
        }
    }
    fn put(&mut self, name: &str, sizes: &[Option<usize>]) {
        for (n, place) in self.request.places(name) {
            for (index, size) in place.indices.iter().zip(sizes) {
                if let Some(size) = size {
                    self.known.entry((n, index.text.as_str())).or_insert(*size);
                }
            }
        }
    }
}
