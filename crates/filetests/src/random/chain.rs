//! Chains: statements that read what others made, as a kernel stored it.

use super::expr::RandomTerm;
use super::{CaseGenerator, TestRandom};
use crate::case::{Case, CaseOperand, Link};

impl CaseGenerator {
    /// One or two statements whose results the last one reads, or one after the other.
    pub(super) fn chain(mut self) -> Case {
        let mut before = Vec::new();
        let mut names = Vec::new();
        for n in 0..self.r.pick_weighted(&[(65, 1), (35, 2)]) {
            let count = self.r.pick_weighted(&[(45, 1), (40, 2), (15, 3)]);
            let value = self.value(names.last(), count);
            let dtype = value.dtype;
            let Some(case) = self.assign_value(&value) else { continue };
            let name = format!("T{n}");
            let shape = self.lefts.iter().map(|v| self.size_of(v)).collect();
            let dtype = case.result.dtype.unwrap_or(dtype);
            // Stands for what will be made.
            self.tensors.push(CaseOperand {
                name: name.clone(),
                dtype,
                shape,
                format: "dense".into(),
                entries: Vec::new(),
            });
            let (definitions, statement) = crate::case::parts(&case.text);
            let text = format!("{definitions}{name}{}", &statement[1..]);
            before.push((Link { result: case.result, text }, case.dims));
            names.push(self.tensors.len() - 1);
        }
        let count = self.r.pick_weighted(&[(45, 0), (40, 1), (15, 2)]);
        let value = self.value(names.last(), count);
        let mut case = self.statement(value);
        case.tensors.retain(|t| !t.name.starts_with('T'));
        for (link, dims) in before {
            case.dims.extend(dims);
            case.before.push(link);
        }
        case
    }

    /// An expression over other variables, which reads tensor number `made`, if there is one, and `count` others.
    fn value(&mut self, made: Option<&usize>, count: usize) -> RandomTerm {
        self.accesses.clear();
        if let Some(&made) = made {
            let shape = self.tensors[made].shape.clone();
            let vars = self.fit_variables(&shape);
            // Most of the variables of a result are those of its operands.
            let chosen: Vec<String> = self
                .vars
                .clone()
                .into_iter()
                .map(|(v, _)| v)
                .filter(|v| {
                    let share = if vars.contains(v) { 75 } else { 20 };
                    self.r.chance(share)
                })
                .collect();
            self.lefts = chosen;
            if self.r.chance(25) {
                self.r.shuffle(&mut self.lefts);
            }
            self.accesses.push((made, vars));
        }
        self.operands(count);
        self.expression()
    }

    /// A plain assignment of the value.
    fn assign_value(&mut self, value: &RandomTerm) -> Option<Case> {
        for _ in 0..8 {
            let one = CaseGenerator { r: TestRandom::new(self.r.bits()), ..self.clone() };
            let case = one.statement(value.clone());
            if case.operand("y").is_none() {
                return Some(case);
            }
        }
        None
    }
}
