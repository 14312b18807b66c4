//! A `wide` loop, understood: what a backend assembles.

use crate::nodes::{BufId, Expr, VarId};
use openwork_algebra::{DType, Prim, Scalar};

/// A `wide` loop as a function of its own. Rounds are counted from 0; what it takes from outside is listed.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// The dtype of all its vectors: `f32` or `f64`.
    pub elem: DType,
    /// Lanes of a vector.
    pub lanes: u8,
    /// Addresses that it starts from.
    pub pointers: Vec<Pointer>,
    /// `i64` values from outside.
    pub ints: Vec<Expr>,
    /// Values of `elem` from outside, wanted in every lane.
    pub floats: Vec<Expr>,
    /// Its own variables.
    pub slots: Vec<Slot>,
    /// What one round does.
    pub body: Vec<Step>,
    /// Variables outside that values join, and how. Its results are what joins them, one each.
    pub reductions: Vec<Reduction>,
}

/// How values join a variable outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// The variable.
    pub var: VarId,
    /// What joins them.
    pub prim: Prim,
    /// What changes nothing.
    pub identity: Scalar,
}

/// The address of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// The buffer.
    pub buf: BufId,
    /// The dtype of its elements.
    pub elem: DType,
    /// Which element, in terms of variables outside.
    pub at: Expr,
}

/// What a variable of a leaf holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// An index, the same in every lane.
    Int,
    /// A value that is the same in every lane.
    Uniform,
    /// A value per lane.
    Varying,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// An index variable gets its value.
    Int(usize, Index),
    /// A variable gets a value.
    Set(usize, Value),
    /// `place = value`, or `place = prim(place, value)`. The place moves.
    Store(Place, Value, Option<Prim>),
    /// A value joins the reduction with this number.
    Reduce(usize, Value),
    /// The steps for every value of an index variable from the first bound up to the second one.
    Loop(usize, Index, Index, Vec<Step>),
}

/// Where something is in memory: elements from a pointer on.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The number of the pointer.
    pub pointer: usize,
    /// How many elements further, the same in every round.
    pub index: Option<Index>,
    /// Whether the place is one element further in every round.
    pub moves: bool,
}

/// An index that is the same in every round.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// A constant.
    Const(i64),
    /// The value from outside with this number.
    Arg(usize),
    /// An own variable.
    Slot(usize),
    /// An integer in memory, widened.
    Load(Box<Place>),
    /// A sum, difference or product.
    Call(Prim, Box<[Index; 2]>),
}

/// A value of the leaf's dtype.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The value from outside with this number.
    Arg(usize),
    /// An own variable.
    Slot(usize),
    /// An element in memory, in every lane if its place does not move.
    Load(Place),
    /// `add`, `sub`, `mul`, `div`, `min`, `max`, `neg` or `abs`.
    Call(Prim, Vec<Value>),
}

impl Leaf {
    /// Whether a value is the same in every lane.
    pub fn uniform(&self, v: &Value) -> bool {
        match v {
            Value::Arg(_) => true,
            Value::Slot(s) => self.slots[*s] != Slot::Varying,
            Value::Load(place) => !place.moves,
            Value::Call(_, args) => args.iter().all(|a| self.uniform(a)),
        }
    }
    /// Whether it holds loops of its own.
    pub fn nested(&self) -> bool {
        self.body.iter().any(|s| matches!(s, Step::Loop(..)))
    }
}
