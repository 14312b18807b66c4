//! A `wide` loop or a loop over rows, understood: what a backend assembles.

use super::is_instruction;
use crate::nodes::{BufId, Expr, VarId};
use openwork_algebra::{DType, Prim, Scalar};
use std::ops::Range;

/// A loop as a function of its own; what it takes from outside is listed. The rounds of a `wide` loop are taken several at
/// a time, and counted from 0. Those of a loop over rows are taken one by one; loops inside it, [`Step::Across`], are taken
/// several rounds at a time, and their variable has its own value.
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
    /// Variables that values join, and how. Those of a `wide` loop live outside, and its results are what joins them, one
    /// each.
    pub reductions: Vec<Reduction>,
    /// What a loop over rows has besides.
    pub rows: Option<Rows>,
}

/// The parts of a leaf that only a loop over rows has.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// Its variable.
    pub slot: usize,
    /// Variables outside that it sets: what they are in the beginning is among the floats, and what they become is handed
    /// back.
    pub carried: Vec<Carried>,
}

/// A variable outside that a loop over rows sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// The variable.
    pub var: VarId,
    /// Its first value, by its number among the floats.
    pub first: usize,
    /// Where it is inside.
    pub slot: usize,
}

/// A reduction of a leaf: how values join a variable outside.
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

/// A variable of a leaf, by what it holds.
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
    /// `place = value`, or `place = prim(place, value)`. The place moves in a `wide` loop, and does not in one over rows.
    Store(Place, Value, Option<Prim>),
    /// A value joins the reduction with this number.
    Reduce(usize, Value),
    /// The steps for every value of an index variable from the first bound up to the second one.
    Loop(usize, Index, Index, Vec<Step>),
    /// The steps for every value from the first bound up to the second one, several at a time: [`Place::moves`] means with
    /// these. Variables of the row take what its reductions come to.
    Across(Index, Index, Vec<Step>, Vec<Join>),
    /// In a row, the steps for every value of a few, side by side in lanes; if the first index is less than the second one,
    /// where there are two. A place that moves is stored to element after element; into one that does not, the lanes of a
    /// value are added.
    Lanes(Option<Box<[Index; 2]>>, Range<i64>, Vec<Step>),
}

/// The variable that a reduction in a row joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// The number of the reduction.
    pub number: usize,
    /// The variable that takes it.
    pub slot: usize,
    /// Whether the variable has no value before.
    pub first: bool,
}

/// A place in memory: elements from a pointer on.
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
    /// An integer in memory, widened. In a [`Value::Gather`], its place may move.
    Load(Box<Place>),
    /// A sum, difference or product.
    Call(Prim, Box<[Index; 2]>),
    /// An index, or 0 where it is this mark of an empty slot.
    Unless(Box<Index>, i64),
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
    /// Elements in memory, each where an index of its own says.
    Gather(Place),
    /// `add`, `sub`, `mul`, `div`, `min`, `max`, `neg`, `abs`, or a function of the library.
    Call(Prim, Vec<Value>),
    /// The first value where the integer at a place that moves is not this mark of an empty slot, else the second one.
    Unless(Place, i64, Box<[Value; 2]>),
}

impl Leaf {
    /// Whether a value is the same in every lane.
    pub fn uniform(&self, v: &Value) -> bool {
        match v {
            Value::Arg(_) => true,
            Value::Slot(s) => self.slots[*s] != Slot::Varying,
            Value::Load(place) => !place.moves,
            Value::Gather(_) | Value::Unless(..) => false,
            Value::Call(_, args) => args.iter().all(|a| self.uniform(a)),
        }
    }
    /// Whether indices are different in every lane somewhere: elements are gathered, or slots are tested.
    pub fn gathers(&self) -> bool {
        any_value(&self.body, &|v| matches!(v, Value::Gather(_) | Value::Unless(..)))
    }
    /// Whether values are left out where slots are empty.
    pub fn tests_slots(&self) -> bool {
        any_value(&self.body, &|v| matches!(v, Value::Unless(..)))
    }
    /// The marks by which values are left out, each once.
    pub fn marks(&self) -> Vec<i64> {
        let mut found = Vec::new();
        each_value(&self.body, &mut |v| match v {
            Value::Unless(_, mark, _) if !found.contains(mark) => found.push(*mark),
            _ => {}
        });
        found
    }
    /// Whether lanes are side by side in its rows.
    pub fn side_by_side(&self) -> bool {
        self.body.iter().any(|s| matches!(s, Step::Lanes(..)))
    }
    /// Whether functions are called for whole vectors in it.
    pub fn calls(&self) -> bool {
        any_value(&self.body, &|v| matches!(v, Value::Call(Prim::Library(f), _) if !is_instruction(*f)))
    }
    /// Whether it holds loops of its own.
    pub fn is_nested(&self) -> bool {
        self.body.iter().any(|s| matches!(s, Step::Loop(..)))
    }
}

/// Visits every value in these steps, and the parts of each.
pub fn each_value<'s>(steps: &'s [Step], visit: &mut dyn FnMut(&'s Value)) {
    for s in steps {
        match s {
            Step::Set(_, v) | Step::Store(_, v, _) | Step::Reduce(_, v) => v.visit(visit),
            Step::Loop(_, _, _, body) | Step::Across(_, _, body, _) | Step::Lanes(_, _, body) => {
                each_value(body, visit);
            }
            Step::Int(..) => {}
        }
    }
}

/// Whether a value in these steps, or a part of one, is such.
pub fn any_value(steps: &[Step], such: &dyn Fn(&Value) -> bool) -> bool {
    let mut found = false;
    each_value(steps, &mut |v| found |= such(v));
    found
}

impl Value {
    /// Visits it and its parts.
    pub fn visit<'v>(&'v self, visit: &mut dyn FnMut(&'v Value)) {
        visit(self);
        match self {
            Value::Call(_, args) => args.iter().for_each(|v| v.visit(visit)),
            Value::Unless(_, _, both) => both.iter().for_each(|v| v.visit(visit)),
            Value::Arg(_) | Value::Slot(_) | Value::Load(_) | Value::Gather(_) => {}
        }
    }
    /// Whether it, or a part of it, is such.
    pub fn has_part(&self, such: &dyn Fn(&Value) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |v| found |= such(v));
        found
    }
    /// Whether a variable is read for it.
    pub fn reads(&self, slot: usize) -> bool {
        self.has_part(&|v| matches!(v, Value::Slot(s) if *s == slot))
    }
}

impl Index {
    /// Whether it has another value in every lane.
    pub fn moves(&self) -> bool {
        match self {
            Index::Load(place) => place.moves || place.index.as_ref().is_some_and(Index::moves),
            Index::Call(_, both) => both.iter().any(Index::moves),
            Index::Unless(index, _) => index.moves(),
            Index::Const(_) | Index::Arg(_) | Index::Slot(_) => false,
        }
    }
    /// Whether it, or a part of it, is 0 where a slot is empty.
    pub fn tests_slots(&self) -> bool {
        match self {
            Index::Unless(..) => true,
            Index::Load(place) => place.index.as_ref().is_some_and(Index::tests_slots),
            Index::Call(_, both) => both.iter().any(Index::tests_slots),
            Index::Const(_) | Index::Arg(_) | Index::Slot(_) => false,
        }
    }
}
