//! A `wide` loop or a loop over rows, understood: what a backend assembles.

use super::is_instruction;
use crate::nodes::{BufId, Expr, VarId};
use openwork_algebra::{DType, Prim, Scalar};
use std::ops::Range;

/// A loop as a function of its own; what it takes from outside is listed. The rounds of a `wide` loop are taken several at
/// a time, and counted from 0. Those of a loop over rows are taken one by one; loops inside it, [`WideStep::Across`], are taken
/// several rounds at a time, and their variable has its own value.
#[derive(Clone, Debug, PartialEq)]
pub struct WideLeaf {
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
    pub slots: Vec<LeafSlot>,
    /// What one round does.
    pub body: Vec<WideStep>,
    /// Variables that values join, and how. Those of a `wide` loop live outside, and its results are what joins them, one
    /// each.
    pub reductions: Vec<WideReduction>,
    /// What a loop over rows has besides.
    pub rows: Option<WideRows>,
}

/// The parts of a leaf that only a loop over rows has.
#[derive(Clone, Debug, PartialEq)]
pub struct WideRows {
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
pub struct WideReduction {
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
pub enum LeafSlot {
    /// An index, the same in every lane.
    Int,
    /// A value that is the same in every lane.
    Uniform,
    /// A value per lane.
    Varying,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum WideStep {
    /// An index variable gets its value.
    Int(usize, WideIndex),
    /// A variable gets a value.
    Set(usize, WideValue),
    /// `place = value`, or `place = prim(place, value)`. The place moves in a `wide` loop, and does not in one over rows.
    Store(WidePlace, WideValue, Option<Prim>),
    /// A value joins the reduction with this number.
    Reduce(usize, WideValue),
    /// The steps for every value of an index variable from the first bound up to the second one.
    Loop(usize, WideIndex, WideIndex, Vec<WideStep>),
    /// The steps for every value from the first bound up to the second one, several at a time: [`WidePlace::moves`] means with
    /// these. Variables of the row take what its reductions come to.
    Across(WideIndex, WideIndex, Vec<WideStep>, Vec<RowJoin>),
    /// In a row, the steps for every value of a few, side by side in lanes; if the first index is less than the second one,
    /// where there are two. A place that moves is stored to element after element; into one that does not, the lanes of a
    /// value are added.
    Lanes(Option<Box<[WideIndex; 2]>>, Range<i64>, Vec<WideStep>),
}

/// The variable that a reduction in a row joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowJoin {
    /// The number of the reduction.
    pub number: usize,
    /// The variable that takes it.
    pub slot: usize,
    /// Whether the variable has no value before.
    pub first: bool,
}

/// A place in memory: elements from a pointer on.
#[derive(Clone, Debug, PartialEq)]
pub struct WidePlace {
    /// The number of the pointer.
    pub pointer: usize,
    /// How many elements further, the same in every round.
    pub index: Option<WideIndex>,
    /// Whether the place is one element further in every round.
    pub moves: bool,
}

/// An index that is the same in every round.
#[derive(Clone, Debug, PartialEq)]
pub enum WideIndex {
    /// A constant.
    Const(i64),
    /// The value from outside with this number.
    Arg(usize),
    /// An own variable.
    Slot(usize),
    /// An integer in memory, widened. In a [`WideValue::Gather`], its place may move.
    Load(Box<WidePlace>),
    /// A sum, difference or product.
    Call(Prim, Box<[WideIndex; 2]>),
    /// An index, or 0 where it is this mark of an empty slot.
    Unless(Box<WideIndex>, i64),
}

/// A value of the leaf's dtype.
#[derive(Clone, Debug, PartialEq)]
pub enum WideValue {
    /// The value from outside with this number.
    Arg(usize),
    /// An own variable.
    Slot(usize),
    /// An element in memory, in every lane if its place does not move.
    Load(WidePlace),
    /// Elements in memory, each where an index of its own says.
    Gather(WidePlace),
    /// `add`, `sub`, `mul`, `div`, `min`, `max`, `neg`, `abs`, or a function of the library.
    Call(Prim, Vec<WideValue>),
    /// The first value where the integer at a place that moves is not this mark of an empty slot, else the second one.
    Unless(WidePlace, i64, Box<[WideValue; 2]>),
}

impl WideLeaf {
    /// Whether a value is the same in every lane.
    pub fn uniform(&self, v: &WideValue) -> bool {
        match v {
            WideValue::Arg(_) => true,
            WideValue::Slot(s) => self.slots[*s] != LeafSlot::Varying,
            WideValue::Load(place) => !place.moves,
            WideValue::Gather(_) | WideValue::Unless(..) => false,
            WideValue::Call(_, args) => args.iter().all(|a| self.uniform(a)),
        }
    }
    /// Whether indices are different in every lane somewhere: elements are gathered, or slots are tested.
    pub fn gathers(&self) -> bool {
        any_value(&self.body, &|v| matches!(v, WideValue::Gather(_) | WideValue::Unless(..)))
    }
    /// Whether values are left out where slots are empty.
    pub fn tests_slots(&self) -> bool {
        any_value(&self.body, &|v| matches!(v, WideValue::Unless(..)))
    }
    /// The marks by which values are left out, each once.
    pub fn marks(&self) -> Vec<i64> {
        let mut found = Vec::new();
        each_value(&self.body, &mut |v| match v {
            WideValue::Unless(_, mark, _) if !found.contains(mark) => found.push(*mark),
            _ => {}
        });
        found
    }
    /// Whether lanes are side by side in its rows.
    pub fn side_by_side(&self) -> bool {
        self.body.iter().any(|s| matches!(s, WideStep::Lanes(..)))
    }
    /// Whether functions are called for whole vectors in it.
    pub fn calls(&self) -> bool {
        any_value(&self.body, &|v| matches!(v, WideValue::Call(Prim::Library(f), _) if !is_instruction(*f)))
    }
    /// Whether it holds loops of its own.
    pub fn is_nested(&self) -> bool {
        self.body.iter().any(|s| matches!(s, WideStep::Loop(..)))
    }
}

/// Visits every value in these steps, and the parts of each.
pub fn each_value<'s>(steps: &'s [WideStep], visit: &mut dyn FnMut(&'s WideValue)) {
    for s in steps {
        match s {
            WideStep::Set(_, v) | WideStep::Store(_, v, _) | WideStep::Reduce(_, v) => v.visit(visit),
            WideStep::Loop(_, _, _, body) | WideStep::Across(_, _, body, _) | WideStep::Lanes(_, _, body) => {
                each_value(body, visit);
            }
            WideStep::Int(..) => {}
        }
    }
}

/// Whether a value in these steps, or a part of one, is such.
pub fn any_value(steps: &[WideStep], such: &dyn Fn(&WideValue) -> bool) -> bool {
    let mut found = false;
    each_value(steps, &mut |v| found |= such(v));
    found
}

impl WideValue {
    /// Visits it and its parts.
    pub fn visit<'v>(&'v self, visit: &mut dyn FnMut(&'v WideValue)) {
        visit(self);
        match self {
            WideValue::Call(_, args) => args.iter().for_each(|v| v.visit(visit)),
            WideValue::Unless(_, _, both) => both.iter().for_each(|v| v.visit(visit)),
            WideValue::Arg(_) | WideValue::Slot(_) | WideValue::Load(_) | WideValue::Gather(_) => {}
        }
    }
    /// Whether it, or a part of it, is such.
    pub fn has_part(&self, such: &dyn Fn(&WideValue) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |v| found |= such(v));
        found
    }
    /// Whether a variable is read for it.
    pub fn reads(&self, slot: usize) -> bool {
        self.has_part(&|v| matches!(v, WideValue::Slot(s) if *s == slot))
    }
}

impl WideIndex {
    /// Whether it has another value in every lane.
    pub fn moves(&self) -> bool {
        match self {
            WideIndex::Load(place) => place.moves || place.index.as_ref().is_some_and(WideIndex::moves),
            WideIndex::Call(_, both) => both.iter().any(WideIndex::moves),
            WideIndex::Unless(index, _) => index.moves(),
            WideIndex::Const(_) | WideIndex::Arg(_) | WideIndex::Slot(_) => false,
        }
    }
    /// Whether it, or a part of it, is 0 where a slot is empty.
    pub fn tests_slots(&self) -> bool {
        match self {
            WideIndex::Unless(..) => true,
            WideIndex::Load(place) => place.index.as_ref().is_some_and(WideIndex::tests_slots),
            WideIndex::Call(_, both) => both.iter().any(WideIndex::tests_slots),
            WideIndex::Const(_) | WideIndex::Arg(_) | WideIndex::Slot(_) => false,
        }
    }
}
