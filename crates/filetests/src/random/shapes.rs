//! Statements of shapes that are seldom drawn otherwise: functions beside unions of several operands, one tensor as a whole and
//! in part, and products of many factors.

use super::expr::{RandomTerm, combine};
use super::{CaseGenerator, own};
use crate::case::{Case, CaseOperand, Wanted};
use openwork_algebra::{Arithmetic, DType};

impl CaseGenerator {
    /// One of the shapes.
    pub(super) fn generate_shape(mut self) -> Case {
        self.dtypes.truncate(1);
        match self.r.number_below(3) {
            0 => self.function_beside_a_union(),
            1 => self.part_beside_the_whole(),
            _ => self.many_factors(),
        }
    }

    /// A function with an algebra of its own, of operands whose rows are stored or not, beside others that are merged.
    fn function_beside_a_union(mut self) -> Case {
        self.vars = ["j", "k"].map(|v| (v.to_string(), 1 + self.r.number_below(5))).to_vec();
        self.lefts = vec!["j".into(), "k".into()];
        if self.r.chance(50) {
            self.lefts.reverse();
        }
        let a = self.fresh("A", "jk");
        let b = self.fresh("B", "jk");
        let function = own::function(&mut self.r, self.dtypes[0]).name;
        let text = format!("{function}({}, {})", a.text, b.text);
        let mut terms = vec![RandomTerm { text, ..a }];
        let vector = self.r.pick(&["k", "j"]);
        for (name, vars) in [("C", vector), ("D", self.r.pick(&["jk", "kj"])), ("E", "jk")] {
            let term = self.fresh(name, vars);
            terms.push(term);
        }
        while terms.len() > 1 {
            let n = self.r.number_below(terms.len() - 1);
            let (a, b) = (terms.remove(n), terms.remove(n));
            let both = if self.r.chance(60) { sum(a, b) } else { combine(&mut self.r, a, b, self.operators) };
            terms.insert(n, both);
        }
        let value = terms.remove(0);
        self.statement(value)
    }

    /// A square matrix that is read whole and through a window, perhaps in the other order, in a product.
    fn part_beside_the_whole(mut self) -> Case {
        let size = 2 + self.r.number_below(4);
        let part = 1 + self.r.number_below(size - 1);
        let lo = self.r.number_below(size - part + 1);
        self.vars = [("i", part), ("k", size), ("l", size)].map(|(v, n)| (v.to_string(), n)).to_vec();
        self.lefts = vec!["i".into(), "k".into()];
        if self.r.chance(30) {
            self.lefts.reverse();
        }
        let order = self.r.pick(&["lk", "kl"]);
        let whole = self.fresh("A", order);
        let window = format!("i({lo}:{})", lo + part);
        let text = if self.r.chance(50) { format!("A(k,{window})") } else { format!("A({window},k)") };
        let part = RandomTerm { text, free: vec!["i".into(), "k".into()], ..whole.clone() };
        let order = self.r.pick(&["il", "li"]);
        let other = self.fresh("B", order);
        let mut factors = [whole, part, other];
        self.r.shuffle(&mut factors);
        self.product_of(&factors)
    }

    /// A chain, a star or a ring of up to twelve factors, with vectors and numbers between them.
    fn many_factors(mut self) -> Case {
        let count = 3 + self.r.number_below(10);
        let most = if count > 7 { 2 } else { 3 };
        let name = |n: usize| char::from(b'a' + n as u8).to_string();
        let sizes = (0..=count).map(|n| (name(n), 1 + self.r.number_below(most))).collect();
        self.vars = sizes;
        let (kind, mut modes) = (self.r.number_below(3), Vec::new());
        for n in 0..count {
            let next = if kind == 1 && n + 1 == count { 0 } else { n + 1 };
            let from = if kind == 2 { 0 } else { n };
            modes.push(match self.r.number_below(10) {
                0..2 => name(from),
                2..5 => name(next) + &name(from),
                _ => name(from) + &name(next),
            });
        }
        let mut free: Vec<String> = modes.iter().flat_map(|m| m.chars().map(String::from)).collect();
        free.sort();
        free.dedup();
        self.r.shuffle(&mut free);
        free.truncate(self.r.number_below(3));
        self.lefts = free;
        self.r.shuffle(&mut modes);
        let mut factors = Vec::new();
        for (n, vars) in modes.iter().enumerate() {
            let factor = self.fresh(&format!("A{n}"), vars);
            factors.push(factor);
            if self.r.chance(8) {
                factors.push(RandomTerm { text: "2".into(), free: Vec::new(), ..factors[0].clone() });
            }
        }
        self.product_of(&factors)
    }

    /// A product, summed over what the result does not have.
    fn product_of(mut self, factors: &[RandomTerm]) -> Case {
        let text: Vec<&str> = factors.iter().map(|f| f.text.as_str()).collect();
        let text = format!("y({}) = {}", self.lefts.join(","), text.join(" * ")).replace("y()", "y");
        let exact = self.r.chance(6);
        let arithmetic = if exact { Arithmetic::Exact } else { Arithmetic::Annihilating };
        let format = if self.r.chance(50) { None } else { Some("dense".into()) };
        let result = Wanted { format, ..Wanted::default() };
        Case { tensors: self.tensors, result, text, arithmetic, ..Case::default() }
    }

    /// A new operand over these variables.
    fn fresh(&mut self, name: &str, vars: &str) -> RandomTerm {
        let free: Vec<String> = vars.chars().map(String::from).collect();
        let shape = free.iter().map(|v| self.size_of(v)).collect();
        let dtype: DType = self.dtypes[0];
        let mut operand: CaseOperand = self.operand(name, dtype, shape);
        if self.r.chance(40) {
            let format = self.r.pick(&["csr", "csr", "dcsr", "dense"]);
            let format = if free.len() == 2 { format } else { self.r.pick(&["sv", "dense"]) };
            let plain = CaseOperand { format: format.into(), ..operand.clone() };
            operand = if plain.fill() == operand.fill() { plain } else { operand };
        }
        self.tensors.push(operand);
        RandomTerm { text: format!("{name}({})", free.join(",")), dtype, binds: 9, free }
    }
}

fn sum(a: RandomTerm, b: RandomTerm) -> RandomTerm {
    let text = format!("{} + {}", a.at_least(4), b.at_least(5));
    let mut free = a.free;
    free.extend(b.free.into_iter().filter(|v| !free.contains(v)).collect::<Vec<_>>());
    RandomTerm { text, dtype: a.dtype.promote(b.dtype), binds: 4, free }
}
