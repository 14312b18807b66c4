//! Products that something is added to, or done with: statements whose loops the planner shares or splits.

use super::CaseGenerator;
use super::expr::{Operators, RandomTerm, combine, reduce_term};
use crate::case::Case;
use openwork_algebra::{DType, DTypeKind};

/// The variables of the result and of the factors.
const PRODUCTS: &[(&str, &[&str])] = &[
    ("i", &["ij", "j"]),
    ("j", &["ij", "i"]),
    ("ik", &["ij", "jk"]),
    ("ki", &["ij", "jk"]),
    ("ik", &["ji", "jk"]),
    ("ik", &["ij", "kj"]),
    ("il", &["ijk", "jl", "kl"]),
    ("ijl", &["ijk", "kl"]),
    ("ij", &["ij", "ik", "jk"]),
    ("", &["ij", "j", "i"]),
];

impl CaseGenerator {
    /// One to three products of one shape, and other terms.
    pub(super) fn epilogue(mut self) -> Case {
        let (left, factors) = self.r.pick(PRODUCTS);
        self.vars = ["i", "j", "k", "l"].map(|v| (v.to_string(), 1 + self.r.number_below(5))).to_vec();
        self.lefts = left.chars().map(String::from).collect();
        let count = self.r.pick_weighted(&[(60, 1), (30, 2), (10, 3)]);
        let mut terms: Vec<RandomTerm> = (0..count).map(|_| self.product(factors)).collect();
        for _ in 0..self.r.pick_weighted(&[(20, 0), (60, 1), (20, 2)]) {
            let mut vars = self.lefts.clone();
            if self.r.chance(50) {
                self.r.shuffle(&mut vars);
                vars.truncate(1);
            }
            let term = self.access(&vars);
            let n = self.r.number_below(terms.len() + 1);
            terms.insert(n, term);
        }
        while terms.len() > 1 {
            let n = self.r.number_below(terms.len() - 1);
            let (a, b) = (terms.remove(n), terms.remove(n));
            let both = if self.r.chance(60) {
                self.add_terms(a, b)
            } else {
                combine(&mut self.r, a, b, self.operators)
            };
            let both = if self.r.chance(20) { self.dress(both, &[]) } else { both };
            terms.insert(n, both);
        }
        let value = terms.remove(0);
        let value = if self.r.chance(40) { self.dress(value, &[]) } else { value };
        self.statement(value)
    }

    /// A reduction of a product, as it is written plainly or with its operator named.
    fn product(&mut self, factors: &[&str]) -> RandomTerm {
        let mut all = Vec::new();
        for vars in factors {
            let vars: Vec<String> = vars.chars().map(String::from).collect();
            let one = self.access(&vars);
            // A sum of operands inside of a product may be multiplied out.
            all.push(if self.r.chance(20) {
                let other = self.access(&vars);
                self.add_terms(one, other)
            } else {
                one
            });
        }
        let real = all.iter().all(|t| t.dtype.kind() < DTypeKind::Complex);
        let tropical = self.operators == Operators::Tropical;
        let (name, sign, binds) = match self.r.number_below(10) {
            0..2 if real => ("max", "+", 4),
            2..3 if real => ("min", "+", 4),
            _ if tropical => ("min", "+", 4),
            3..4 if all.iter().all(|t| t.dtype == DType::Bool) => ("any", "&", 3),
            _ => ("sum", "*", 5),
        };
        let mut free: Vec<String> = Vec::new();
        for v in all.iter().flat_map(|t| &t.free) {
            if !free.contains(v) {
                free.push(v.clone());
            }
        }
        let dtype = all.iter().map(|t| t.dtype).reduce(DType::promote).unwrap_or(DType::F64);
        let text: Vec<String> = all.into_iter().map(|t| t.at_least(binds)).collect();
        let product = RandomTerm { text: text.join(&format!(" {sign} ")), dtype, binds, free };
        if name == "sum" && self.r.chance(50) {
            return product;
        }
        let vars = product.free.iter().filter(|v| !self.lefts.contains(v)).cloned().collect();
        reduce_term(name, vars, product)
    }

    /// A new operand with these variables, or one that fits.
    fn access(&mut self, vars: &[String]) -> RandomTerm {
        let shape: Vec<usize> = vars.iter().map(|v| self.size_of(v)).collect();
        let known = self.tensors.iter().position(|t| t.shape == shape).filter(|_| self.r.chance(20));
        let n = known.unwrap_or_else(|| {
            let dtype = self.r.pick(&self.dtypes.clone());
            let name = format!("A{}", self.tensors.len());
            let mut operand = self.operand(&name, dtype, shape);
            if self.r.chance(30) {
                // The loops that matter are those over dense operands.
                operand = crate::case::CaseOperand { format: "dense".into(), ..operand };
            }
            self.tensors.push(operand);
            self.tensors.len() - 1
        });
        self.accesses.push((n, vars.to_vec()));
        let t = &self.tensors[n];
        let text = if vars.is_empty() { t.name.clone() } else { format!("{}({})", t.name, vars.join(",")) };
        RandomTerm { text, dtype: t.dtype, binds: 9, free: vars.to_vec() }
    }

    /// A sum or difference.
    fn add_terms(&mut self, a: RandomTerm, b: RandomTerm) -> RandomTerm {
        let meet = a.dtype.promote(b.dtype);
        let minus = self.operators == Operators::All && meet != DType::Bool && self.r.chance(40);
        let text = match minus {
            true => format!("{} - ({})", a.text, b.text),
            false => format!("{} + {}", a.text, b.text),
        };
        let mut free = a.free;
        free.extend(b.free.into_iter().filter(|v| !free.contains(v)).collect::<Vec<_>>());
        let text = if a.binds < 4 || b.binds < 4 { format!("({}) + ({})", a.text, b.text) } else { text };
        RandomTerm { text, dtype: meet, binds: 4, free }
    }
}
