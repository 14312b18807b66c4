//! Loops over the bits of words: 64 coordinates at a time, of which those are visited where some region has something to do.
//!
//! ```text
//! C(i) = A(i) | B(i)       for w in 0..words {
//!                            a = A_words[w]   b = B_words[w]
//!                            m = a | b                            a & b for a product, a ^ b for an exclusive or
//!                            while m != 0 {
//!                              i = 64 * w + ctz(m)
//!                              if a & b & lowest(m) { … } else if a & lowest(m) { … } else { … }
//!                              m = m & (m - 1)
//! ```

use crate::emit::Emitter;
use crate::emit::assemble::min;
use crate::emit::cursor::{Bits, Cursor, bit_number, without_lowest};
use crate::emit::iter::Cursors;
use crate::emit::merge::{Flag, LeafFlags, choose};
use crate::emit::visit::Visit;
use crate::space::Leaf;
use openwork_algebra::Prim;
use openwork_index::CinStmt;
use openwork_loops::build::{add, call, int, set, var};
use openwork_loops::{Expr as Ir, LoopMode, Stmt as Code, Ty, VarId};
use std::collections::BTreeMap;

/// The words of each leaf.
type Words = BTreeMap<Leaf, Ir>;

impl Emitter<'_> {
    /// Walks the bits of words that any region has.
    pub(crate) fn over_words(&mut self, visit: &Visit, iters: &Cursors) -> Vec<Code> {
        let several = visit.of.arms.len() > 1;
        let (w, m, b) = (self.kernel.index("w"), self.kernel.index("m"), self.kernel.index("b"));
        let name = self.program.indices[visit.v].name.clone();
        let i = self.kernel.index(&name);
        let mut body = Vec::new();
        let mut running = iters.clone();
        let mut words = Words::new();
        let ctz = Ir::Call { prim: Prim::Ctz, args: vec![var(m)] };
        let mut inner = vec![Code::Let { var: b, val: bit_number(var(w), ctz) }];
        let mut low = int(0);
        for (leaf, cursor) in iters {
            let Some(bits) = cursor.bits() else { continue };
            let tensor = &self.program.tensors[leaf.access.tensor].name;
            // A word that several regions ask for is loaded once.
            let word = match several {
                true => self.hold(&format!("{tensor}_word"), bits.word(var(w)), &mut body),
                false => bits.word(var(w)),
            };
            words.insert(leaf.clone(), word);
            let pos = self.kernel.index(&format!("p{tensor}"));
            inner.push(Code::Let { var: pos, val: add(bits.base.clone(), var(b)) });
            low = bits.low.clone();
            running.insert(leaf.clone(), Cursor { pos, ..cursor.clone() });
        }
        inner.push(Code::Let { var: i, val: add(var(b), low) });
        let at_bit = match several {
            true => self.regions_at(visit, i, m, &words, &running),
            false => self.case(visit, var(i), 0, &running).map(|case| case.code),
        };
        let Some(at_bit) = at_bit else { return Vec::new() };
        inner.extend(self.ends_where_decided(visit, at_bit));
        inner.push(set(m, without_lowest(var(m))));
        body.push(Code::Let { var: m, val: visited_bits(visit, &words) });
        body.push(Code::While { cond: call(Prim::Ne, var(m), int(0)), body: inner });
        body.extend(self.ends_if_decided(visit));
        let hi = number_of_words(iters.values().filter_map(Cursor::bits));
        vec![Code::For { var: w, lo: int(0), hi, step: 1, mode: LoopMode::Serial, body }]
    }

    /// The regions at the lowest bit of `m`, told apart by the leaves' own bits.
    fn regions_at(
        &mut self,
        visit: &Visit,
        i: VarId,
        m: VarId,
        words: &Words,
        running: &Cursors,
    ) -> Option<Vec<Code>> {
        let mut code = Vec::new();
        let lowest = call(Prim::And, var(m), call(Prim::Sub, int(0), var(m)));
        let lowest = self.hold("lowest", lowest, &mut code);
        let mut flags = LeafFlags::new();
        for (leaf, word) in words {
            let has = self.kernel.var("has", Ty::BOOL);
            let held = call(Prim::And, word.clone(), lowest.clone());
            code.push(Code::Let { var: has, val: call(Prim::Ne, held, int(0)) });
            flags.insert(leaf.clone(), Flag { at: has, has });
        }
        let (cases, _) = self.cases(visit, 0, i, running, &flags);
        let cases = choose(cases);
        code.extend(cases.iter().cloned());
        (!cases.is_empty()).then_some(code)
    }
}

/// The bits at which something is done: the largest region that has a bit decides, so smaller ones come first.
fn visited_bits(visit: &Visit, words: &Words) -> Ir {
    let points = &visit.of.lattice.points;
    let does = |n: usize| visit.of.arms[n].node.stmt != CinStmt::Nop;
    let all = (0..points.len()).all(does);
    let mut out: Option<Ir> = None;
    for n in (0..points.len()).rev() {
        let smaller = |m: usize| points[m].leaves.is_subset(&points[n].leaves);
        if all && (n + 1..points.len()).any(smaller) {
            continue;
        }
        let here = points[n].leaves.iter().map(|l| words[l].clone());
        let here = here.reduce(|a, b| call(Prim::And, a, b)).unwrap_or(int(-1));
        out = match (out, does(n)) {
            (None, true) => Some(here),
            (None, false) => None,
            (Some(m), true) => Some(call(Prim::Or, m, here)),
            (Some(m), false) => Some(call(Prim::And, m, call(Prim::Xor, here, int(-1)))),
        };
    }
    out.unwrap_or(int(0))
}

/// How many words each of the walks has; a parent that is missing has none.
fn number_of_words<'b>(all: impl Iterator<Item = &'b Bits>) -> Ir {
    let mut counts: Vec<Ir> = Vec::new();
    for bits in all {
        let words = bits.words();
        if counts.last() != Some(&words) {
            counts.push(words);
        }
    }
    counts.into_iter().reduce(min).unwrap_or(int(0))
}
