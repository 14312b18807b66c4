//! The ways in which a plan can run.
//!
//! A plan has a kernel for its program, and beside it ways that are faster or right for some operands only. Which of them a
//! run takes is decided when it runs, by what stands in the plan: a run takes the first variant whose [`Guard`]s hold, and
//! the next one where its result has something that it must not have ([`Unless`]). The last variant runs always.
//!
//! ```text
//! C(i,j) = A(i,j) * x(j)      1 positions   values only, if runs have visited 262144 elements; unless NaN is in the result
//!                             2 kernel      appends elements;                                unless NaN is in the result
//!                             3 deciding    annihilators decide element by element
//! ```

use crate::step::Step;
use openwork_algebra::Scalar;
use openwork_algebra::operator::Assumes;
use openwork_index::assume::{Assumptions, Check};
use openwork_index::cin::CinNames;
use openwork_index::{Program, TensorId};
use openwork_lower::LentValues;

/// A variant of a plan: one way in which it can run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variant {
    /// What must hold for it to run.
    pub guards: Vec<Guard>,
    /// What must not be in its result.
    pub unless: Vec<Unless>,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// Whether its values may be rounded otherwise than those of variants after it: functions of vectors are not those of scalars
    /// to the last bit. Its guards depend on the operands alone.
    pub values_round_apart: bool,
}

/// Something that must hold for a variant to run.
#[derive(Clone, Debug, PartialEq)]
pub enum Guard {
    /// What the statement relies on holds of the operands' values.
    Values,
    /// An operand has at least so many slots.
    Slots {
        /// The operand.
        operand: TensorId,
        /// How many slots.
        least: usize,
    },
    /// Others store the same elements as an operand.
    SameStructure {
        /// The operand.
        operand: TensorId,
        /// The others.
        others: Vec<TensorId>,
    },
    /// Runs have visited so many elements of an operand, this run included.
    Visited {
        /// The operand.
        operand: TensorId,
        /// How many elements.
        least: usize,
    },
    /// No result of the variant was rejected before: operands are often of one kind.
    NeverRejected,
    /// An operand is given away, and nobody else holds its memory.
    Taken(TensorId),
    /// A look at the operands tells that these checks hold.
    Checked(Vec<Check>),
}

/// Something that must not be in the result of a variant: then the next one runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unless {
    /// NaN, beside which an annihilator may have to decide.
    Nan,
    /// A value: one that the statement's kernel would not store.
    Value(Scalar),
}

impl Variant {
    /// The name of the variant.
    pub fn name(&self) -> &'static str {
        let own = |step: &Step| match step {
            Step::Rearrange(_) => Some("rearranged"),
            Step::ReturnOperand(_) => Some("converted"),
            Step::Lend(lender) => Some(match lender.by {
                LentValues::Values => "values",
                LentValues::Positions => "positions",
            }),
            Step::Piece(_) => Some("pieces"),
            Step::Kernel => Some("kernel"),
            Step::Decide => Some("deciding"),
            Step::InPlace(_) => Some("in place"),
            Step::Strict => Some("strict"),
            Step::Alias(_) | Step::Convert(_) | Step::Diagonal(_) | Step::Structure(_) => None,
            Step::Window(_) | Step::Find(_) | Step::Finish(_) => None,
        };
        self.steps.iter().find_map(own).unwrap_or("nothing")
    }
    /// Whether a guard asks whether what the statement relies on holds.
    pub fn has_value_guard(&self) -> bool {
        self.guards.contains(&Guard::Values)
    }
    /// Whether the variant is rejected where NaN is in the result.
    pub fn rejects_nan(&self) -> bool {
        self.unless.contains(&Unless::Nan)
    }
    /// What it does, when, and when not, for the program that it computes.
    pub fn describe(&self, program: &Program, relies: Option<&Assumptions>) -> String {
        let mut text = self.action(program);
        let guards: Vec<String> =
            self.guards.iter().filter_map(|guard| guard.describe(program, relies)).collect();
        if !guards.is_empty() {
            text.push_str(&format!(", if {}", guards.join(" and ")));
        }
        let unless: Vec<String> = self.unless.iter().map(Unless::describe).collect();
        if !unless.is_empty() {
            text.push_str(&format!(", unless {} in the result", unless.join(" or ")));
        }
        text
    }
    fn action(&self, program: &Program) -> String {
        let name = |id: TensorId| &program.tensors[id].name;
        let own = |step: &Step| match step {
            Step::Rearrange(r) => Some(format!("storage copies `{}`: {}", name(r.operand), r.way)),
            Step::ReturnOperand(id) => {
                Some(format!("`{}` is converted, without a kernel of the plan", name(*id)))
            }
            Step::Lend(lender) => Some(match lender.by {
                LentValues::Values => {
                    format!("values only, made of those of `{}`", name(lender.operand))
                }
                LentValues::Positions => {
                    format!("values only, at the positions of `{}`", name(lender.operand))
                }
            }),
            Step::Piece(_) => Some("kernels one after the other".into()),
            Step::Kernel => Some("the kernel".into()),
            Step::Decide => Some("the kernel in which annihilators decide element by element".into()),
            Step::InPlace(id) => Some(format!(
                "in the memory of `{}`, whose values become the result's",
                program.tensors[*id].given
            )),
            Step::Strict => {
                Some("what the statement relies on is looked for, and visited where it fails".into())
            }
            Step::Alias(_) | Step::Convert(_) | Step::Diagonal(_) | Step::Structure(_) => None,
            Step::Window(_) | Step::Find(_) | Step::Finish(_) => None,
        };
        self.steps.iter().find_map(own).unwrap_or_default()
    }
}

impl Guard {
    /// Whether it asks what is faster, not what is right: a variant that is asked for runs without.
    pub fn is_about_speed(&self) -> bool {
        match self {
            Guard::Slots { .. } | Guard::Visited { .. } | Guard::NeverRejected => true,
            Guard::Values | Guard::SameStructure { .. } | Guard::Taken(_) | Guard::Checked(_) => false,
        }
    }
    /// What it asks; nothing where every first run passes.
    fn describe(&self, program: &Program, relies: Option<&Assumptions>) -> Option<String> {
        let name = |id: &TensorId| format!("`{}`", program.tensors[*id].name);
        Some(match self {
            Guard::Values => {
                let relies = relies?;
                let a = &relies.assignment;
                checks_text(&relies.checks, &CinNames { tensors: &a.tensors, indices: &a.indices })
            }
            Guard::Checked(checks) => {
                checks_text(checks, &CinNames { tensors: &program.tensors, indices: &program.indices })
            }
            Guard::Slots { operand, least } => format!("{} has at least {least} values", name(operand)),
            Guard::SameStructure { operand, others } => {
                let others: Vec<String> = others.iter().map(name).collect();
                let verb = if others.len() == 1 { "stores" } else { "store" };
                format!("{} {verb} the same elements as {}", others.join(" and "), name(operand))
            }
            Guard::Visited { operand, least } => {
                format!("runs, this one included, have visited at least {least} values of {}", name(operand))
            }
            Guard::NeverRejected => return None,
            Guard::Taken(operand) => format!("`{}` is given away", program.tensors[*operand].given),
        })
    }
}

/// Checks in words.
fn checks_text(checks: &[Check], names: &CinNames) -> String {
    let each = |c: &Check| format!("{} is {}", names.expr(&c.value), assumption_text(c.assumes));
    checks.iter().map(each).collect::<Vec<_>>().join(" and ")
}

impl Unless {
    fn describe(&self) -> String {
        match self {
            Unless::Nan => "NaN is".into(),
            Unless::Value(value) => format!("{value} is"),
        }
    }
}

/// What is assumed of a value, in words.
fn assumption_text(assumes: Assumes) -> &'static str {
    match assumes {
        Assumes::Number => "a number",
        Assumes::Finite => "finite",
        Assumes::AboveLowest => "above -inf",
        Assumes::BelowHighest => "below inf",
        Assumes::Divisor => "neither 0 nor NaN",
    }
}
