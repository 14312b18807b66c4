//! A remapping applied to the elements of a tensor, one after the other.

use super::{Remap, Term};
use std::collections::HashMap;

/// How often coordinates came.
type Seen = HashMap<Vec<i64>, i64>;

/// Applies a remapping; remembers how many elements each counter has seen.
///
/// ```
/// use openwork_base::Source;
/// use openwork_format::{Remap, remap::Evaluator};
/// let ell = Remap::parse(&Source::new("remap", "(i,j) -> (#i, i, j)")).unwrap();
/// let mut apply = Evaluator::new(&ell);
/// let mut out = Vec::new();
/// for (i, j) in [(0, 4), (2, 1), (0, 7)] {
///     apply.next(&[i, j], &mut out);
/// }
/// assert_eq!(out, [1, 0, 7]);
/// ```
#[derive(Debug)]
pub struct Evaluator<'a> {
    remap: &'a Remap,
    /// The modes of each counter, and how often their coordinates came.
    counters: Vec<(Vec<usize>, Seen)>,
    /// The values of the counters for the element at hand.
    counts: Vec<i64>,
    locals: Vec<i64>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator that has seen no element.
    pub fn new(remap: &'a Remap) -> Evaluator<'a> {
        let mut distinct: Vec<Vec<usize>> = Vec::new();
        for modes in remap.coords.iter().flat_map(super::Coord::counters) {
            if !distinct.contains(&modes) {
                distinct.push(modes);
            }
        }
        let counters = distinct.into_iter().map(|modes| (modes, HashMap::new())).collect();
        Evaluator { remap, counters, counts: Vec::new(), locals: Vec::new() }
    }
    /// The stored coordinates of the next element, which has the coordinates `at`.
    pub fn next(&mut self, at: &[i64], out: &mut Vec<i64>) {
        self.counts.clear();
        for (modes, seen) in &mut self.counters {
            let key: Vec<i64> = modes.iter().map(|&m| at[m]).collect();
            let count = seen.entry(key).or_insert(0);
            self.counts.push(*count);
            *count += 1;
        }
        out.clear();
        for coord in &self.remap.coords {
            self.locals.clear();
            for (_, term) in &coord.lets {
                let value = self.term(term, at);
                self.locals.push(value);
            }
            out.push(self.term(&coord.value, at));
        }
    }
    fn term(&self, t: &Term, at: &[i64]) -> i64 {
        match t {
            Term::Const(c) => *c,
            Term::Mode(m) => at[*m],
            Term::Local(n) => self.locals[*n],
            Term::Counter(modes) => {
                let n = self.counters.iter().position(|(m, _)| m == modes);
                n.map_or(0, |n| self.counts[n])
            }
            Term::Binary(op, a, b) => op.apply(self.term(a, at), self.term(b, at)),
        }
    }
}
