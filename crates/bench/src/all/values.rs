//! Operands that have the coordinates of an array, or some of those of a mode, and values of a kind.

use super::Text;
use crate::inputs::BenchRandom;
use openwork::{Buffer, Coo};

/// What the values are.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// Those of the array.
    Own,
    /// Their magnitudes, and one: distances.
    Size,
    Truth,
    /// Small whole numbers.
    Whole,
    /// Two, as a whole number.
    Two,
    TwoAsFloat,
    /// True where a picture is brighter than a part of its brightest point.
    Above(f64),
    /// True in an ellipse in the middle of the shape.
    Region,
}

impl ValueKind {
    /// How the peers call what is made of the same coordinates.
    pub fn key(self) -> String {
        match self {
            ValueKind::Above(part) => format!("above{part}"),
            ValueKind::Own
            | ValueKind::Size
            | ValueKind::Truth
            | ValueKind::Whole
            | ValueKind::Two
            | ValueKind::TwoAsFloat
            | ValueKind::Region => format!("{self:?}"),
        }
    }
    fn make(self, coo: &Coo) -> Text<Buffer> {
        let own = coo.vals().as_slice::<f64>().ok_or("f64 values")?;
        let n = own.len();
        Ok(match self {
            ValueKind::Own => coo.vals().clone(),
            ValueKind::Size => Buffer::from(own.iter().map(|x| 1.0 + x.abs()).collect::<Vec<f64>>()),
            ValueKind::Truth | ValueKind::Above(_) | ValueKind::Region => Buffer::from(vec![true; n]),
            ValueKind::Whole => {
                Buffer::from((0..n).map(|e| 1 + (e * 7919 % 97) as i64).collect::<Vec<i64>>())
            }
            ValueKind::Two => Buffer::from(vec![2i64; n]),
            ValueKind::TwoAsFloat => Buffer::from(vec![2.0; n]),
        })
    }
}

/// The array with its last coordinates moved on by so many.
pub fn array(coo: &Coo, moved: usize, values: ValueKind) -> Text<Coo> {
    match values {
        ValueKind::Above(part) => return take_upper(coo, part),
        ValueKind::Region => return region(coo.shape()),
        ValueKind::Own
        | ValueKind::Size
        | ValueKind::Truth
        | ValueKind::Whole
        | ValueKind::Two
        | ValueKind::TwoAsFloat => {}
    }
    let last = coo.rank() - 1;
    let size = coo.shape()[last];
    let coords = (0..coo.rank()).map(|mode| match mode == last && moved > 0 {
        true => Buffer::from(places(coo, mode).map(|j| ((j + moved) % size) as i32).collect::<Vec<i32>>()),
        false => coo.coords(mode).clone(),
    });
    super::text(Coo::new(coo.shape().to_vec(), coords.collect(), values.make(coo)?))
}

/// A vector of a mode's size in which a random part of the coordinates are.
pub fn vector(size: usize, part: f64, values: ValueKind) -> Text<Coo> {
    let mut random = BenchRandom(size as u64);
    let at: Vec<i32> = (0..size as i32).filter(|_| random.unit() < part).collect();
    let numbers: Vec<f64> = at.iter().map(|_| random.unit()).collect();
    let coo = super::text(Coo::new(vec![size], vec![Buffer::from(at)], Buffer::from(numbers)))?;
    array(&coo, 0, values)
}

fn places(coo: &Coo, mode: usize) -> impl Iterator<Item = usize> + '_ {
    (0..coo.len()).map(move |e| coo.coords(mode).get(e).as_i64() as usize)
}

fn take_upper(coo: &Coo, part: f64) -> Text<Coo> {
    let own = coo.vals().as_slice::<f64>().ok_or("f64 values")?;
    let least = part * own.iter().copied().fold(0.0, f64::max);
    let at = places(coo, 0).zip(places(coo, 1)).zip(own).filter(|(_, v)| **v > least).map(|(at, _)| at);
    picture(coo.shape(), at)
}

fn region(shape: &[usize]) -> Text<Coo> {
    let off = |at: usize, size: usize| (2.0 * at as f64 + 1.0) / size as f64 - 1.0;
    let inside = |&(i, j): &(usize, usize)| off(i, shape[0]).hypot(off(j, shape[1])) < 0.75;
    picture(shape, (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| (i, j))).filter(inside))
}

/// True at some places.
fn picture(shape: &[usize], at: impl Iterator<Item = (usize, usize)>) -> Text<Coo> {
    let (i, j): (Vec<i32>, Vec<i32>) = at.map(|(i, j)| (i as i32, j as i32)).unzip();
    let truth = vec![true; i.len()];
    super::text(Coo::new(shape.to_vec(), vec![Buffer::from(i), Buffer::from(j)], Buffer::from(truth)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_move_round_and_pictures_are_cut() {
        let of = |values: Vec<f64>| {
            let coords = vec![Buffer::from(vec![0i32, 1]), Buffer::from(vec![2i32, 0])];
            Coo::new(vec![2, 3], coords, Buffer::from(values)).expect("a list")
        };
        let moved = array(&of(vec![4.0, 9.0]), 1, ValueKind::Truth).expect("moved");
        assert_eq!((moved.coords_of(0), moved.coords_of(1)), (vec![0, 0], vec![1, 1]));
        let bright = array(&of(vec![4.0, 9.0]), 0, ValueKind::Above(0.75)).expect("a picture");
        assert_eq!((bright.len(), bright.coords_of(0)), (1, vec![1, 0]));
        let middle = array(&of(vec![4.0, 9.0]), 0, ValueKind::Region).expect("a region");
        assert!(middle.len() < 6 && !middle.is_empty());
    }
}
