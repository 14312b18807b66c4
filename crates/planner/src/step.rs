//! The steps of a plan, one after the other.

use openwork_format::{Format, Rearrangement};
use openwork_index::plan::Concrete;
use openwork_index::{Program, TensorId, Window};
use openwork_lower::{Lender, Lowered};

/// A step of a plan. Steps are done in their order, and each is timed by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Takes an operand as it is, for another of its uses.
    Alias(Conversion),
    /// Stores an operand differently, before the kernel.
    Convert(Conversion),
    /// Takes the diagonal of an operand, before the kernel.
    Diagonal(Conversion),
    /// Takes what an operand stores, whatever its values, before all other steps that take that.
    Structure(Conversion),
    /// Takes a part of an operand out, before the kernel and before the other steps that take that part.
    Window(Conversion),
    /// Has storage make the result of an operand, without a kernel.
    Rearrange(Rearranged),
    /// Uses an operand itself as the result of the kernel, which would make the same.
    ReturnOperand(TensorId),
    /// Runs a kernel that computes values alone, for coordinates that an operand has.
    Lend(Lender),
    /// Runs the kernel of the plan.
    Kernel,
    /// Runs one of the kernels that compute the program one after the other.
    Piece(usize),
    /// Runs the kernel in which annihilators decide element by element.
    Decide,
    /// Runs the kernel that computes the result in the memory of an operand.
    InPlace(TensorId),
    /// Computes where a value is not what the statement relies on: the one with this number.
    Find(usize),
    /// Computes the statement that visits what was found as well.
    Strict,
    /// Stores the result differently, after the kernel.
    Finish(Format),
}

/// A result that storage makes of an operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Rearranged {
    /// The operand.
    pub operand: TensorId,
    /// The mode of the operand that each mode of the result is.
    pub modes: Vec<usize>,
    /// How the operand's own modes are stored for it.
    pub own: Format,
    /// The format of the result.
    pub format: Format,
    /// What storage does.
    pub way: Rearrangement,
}

/// How an operand of a kernel is made from what the caller gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// The operand of the program.
    pub tensor: TensorId,
    /// The name of the tensor it is made from: what the caller gives, or what an earlier step made.
    pub source: String,
    /// The name of what is made.
    pub made: String,
    /// The part of each mode of the source that is taken; nothing where it is all of it.
    pub windows: Vec<Window>,
    /// For each mode of the given tensor, the mode of the operand that has the same coordinate. Two modes with the same
    /// number keep only the entries whose coordinates there agree: a diagonal.
    pub modes: Vec<usize>,
    /// How the given tensor is stored.
    pub from: Format,
    /// The format of the operand.
    pub format: Format,
}

impl Step {
    /// The format that the result is converted to, where that is what is done.
    pub fn finish(&self) -> Option<&Format> {
        if let Step::Finish(format) = self { Some(format) } else { None }
    }
}

impl Conversion {
    /// The conversion in words, for the list of reasons.
    pub fn describe(&self) -> String {
        if self.takes_part() {
            return format!("`{}` is taken out before the kernel runs", self.made);
        }
        let plain = Format { pos: None, crd: None, fill: None, ..self.format.clone() };
        let what = if self.takes_diagonal() { "the diagonal of " } else { "" };
        format!("{what}`{}` is converted to {plain} before the kernel runs", self.source)
    }
    /// What is done where it takes what its source stores.
    pub fn describe_structure(&self) -> String {
        format!("what `{}` stores is taken before the kernel runs", self.source)
    }
    /// The step that makes the operand.
    pub(crate) fn into_step(self) -> Step {
        if self.takes_part() {
            Step::Window(self)
        } else if self.takes_diagonal() {
            Step::Diagonal(self)
        } else if self.from == self.format {
            Step::Alias(self)
        } else {
            Step::Convert(self)
        }
    }
    /// Whether it is of a part of its source.
    pub fn takes_part(&self) -> bool {
        !self.windows.is_empty()
    }
    /// Whether entries are kept only where coordinates agree.
    pub fn takes_diagonal(&self) -> bool {
        (0..self.modes.len()).any(|m| self.modes[..m].contains(&self.modes[m]))
    }
}

/// How a statement is computed: steps, the program of their kernel, and what else was weighed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// The program of the kernel, and why it looks like that.
    pub concrete: Concrete,
    /// Its loops.
    pub lowered: Lowered,
    /// The kernels that compute it one after the other, where one for all of it could not be divided among threads; nothing
    /// where it is one.
    pub pieces: Vec<Piece>,
    /// Its estimated work, conversions included, in units of about a nanosecond.
    pub work: f64,
    /// Ways that were compared and found dearer, where the planner [lists](crate::Planner::with_listing) them.
    pub rejected: Vec<Alternative>,
}

/// One kernel of a program that is computed by several.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it computes: the result of the program, or a temporary, which is a result here and an operand of later pieces.
    pub program: Program,
    /// The temporary, by its number in the program; nothing where it is the result.
    pub temporary: Option<TensorId>,
    /// Its loops.
    pub lowered: Lowered,
}

/// A way to build a statement that was not taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// What it would do.
    pub describe: String,
    /// Its estimated work, in units of about a nanosecond.
    pub work: f64,
}

/// An operand that another statement computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The name under which it is read.
    pub name: String,
    /// The statement that computes it.
    pub of: usize,
}
