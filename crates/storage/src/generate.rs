//! Synthetic tensors from a short text.
//!
//! ```text
//! dense                        every value random; the same as random:seed=0
//! ones                         every value 1
//! random[:seed=S]              every value random
//! sparse[:density=D,seed=S]    round(D * size) distinct random coordinates; D is 0.01 unless told
//! range                        0, 1, 2, … in natural order, last mode fastest
//! rows[:density=D,seed=S]      every value of some values of the first mode; the same settings as for sparse
//! columns[:density=D,seed=S]   every value of some values of the last mode
//! blocks[:density=D,seed=S]    every value of some blocks of 4 x 4 in a grid
//! fem                          a band: coordinates that differ from the first by at most 1
//! ```
//! Random values are uniform in `[0, 1)` for floats (both parts of complex numbers), in `0..=9` for integers, and
//! coin flips for bool; of `rows`, `columns` and `blocks` there is at least one; stored values of sparse tensors are never zero: `(0, 1]`, `1..=9` and `true`. A text, a shape
//! and a dtype always give the same tensor.

use crate::buffer::Buffer;
use crate::coords::Coo;
use crate::element::{Element, dispatch};
use crate::error::{GENERATOR, checked_product, too_large};
use crate::random::Random;
use crate::tensor::Tensor;
use openwork_algebra::{Complex, DType, DTypeKind, Scalar};
use openwork_base::cancel::{stoppable, tick};
use openwork_base::names::meant_or;
use openwork_base::{Diagnostic, Error, Result, Source, Span};

mod pattern;

/// The side of a block.
const BLOCK: usize = 4;

/// A way to make a tensor.
///
/// ```
/// use openwork_algebra::DType;
/// use openwork_base::Source;
/// use openwork_storage::generate::{Generated, Generator};
/// let sparse = Generator::parse(&Source::new("-g", "sparse:density=1e-12,seed=7"))?;
/// let Generated::Sparse(a) = sparse.generate(&[1_000_000_000, 1_000_000], DType::F64)? else { panic!() };
/// assert_eq!(a.len(), 1000);
/// # Ok::<(), openwork_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Generator {
    /// Every value 1.
    Ones,
    /// Every value random.
    Random {
        /// The seed.
        seed: u64,
    },
    /// Distinct random coordinates with random values that are not zero, sorted by coordinates.
    Sparse {
        /// The part of all coordinates that is stored, from 0 to 1.
        density: f64,
        /// The seed.
        seed: u64,
    },
    /// Sorted coordinates in a shape, with random values that are not zero.
    Pattern {
        /// Which.
        shape: PatternShape,
        /// The part of the rows, columns or blocks that is stored, from 0 to 1; one at least.
        density: f64,
        /// The seed.
        seed: u64,
    },
    /// 0, 1, 2, … in natural order, cast to the dtype (integers wrap, bool is `!= 0`).
    Range,
}

/// The shape of a pattern: where it stores elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternShape {
    /// Everywhere in some values of the first mode.
    Rows,
    /// Everywhere in some values of the last mode.
    Columns,
    /// Everywhere in some blocks of a grid.
    Blocks,
    /// Where coordinates differ from the first by at most 1.
    Fem,
}

/// The tensor that a generator makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Generated {
    /// A dense tensor in natural mode order.
    Dense(Tensor),
    /// Sorted entries without duplicates.
    Sparse(Coo),
}

impl Generated {
    /// The tensor as entries, however it was made.
    ///
    /// # Errors
    /// E0603 when the memory cannot be had.
    pub fn into_coo(self) -> Result<Coo> {
        match self {
            Generated::Dense(t) => crate::unpack(&t),
            Generated::Sparse(coo) => Ok(coo),
        }
    }
}

/// Reading position in the text of a generator.
struct Settings<'a> {
    source: &'a Source,
    density: Option<(f64, Span)>,
    seed: Option<(u64, Span)>,
}

impl Settings<'_> {
    fn error(&self, message: String, span: Span) -> Error {
        self.unknown_word(message, "", span, &[])
    }
    /// The error for a word that is none of those known in its place.
    fn unknown_word(&self, message: String, word: &str, span: Span, known: &[&str]) -> Error {
        let forms = "a generator is `dense`, `ones`, `random:seed=1`, `sparse:density=0.01,seed=1`, `rows`, `columns`, `blocks`, `fem` or `range`";
        let help = meant_or(word.trim(), known.iter().copied(), forms);
        Error::rejection(Diagnostic::new(GENERATOR, message).point_at(self.source, span, "").help(help))
    }
    /// Reads one `key=value` that starts at byte `at`.
    fn read(&mut self, word: &str, at: usize) -> Result<()> {
        let trimmed = word.trim();
        let at = at + (word.len() - word.trim_start().len());
        let all = Span::new(at, at + trimmed.len());
        let Some((key, value)) = trimmed.split_once('=') else {
            return Err(self.error("expected `key=value`".into(), all));
        };
        let span = Span::new(at + key.len() + 1, at + trimmed.len());
        let value = value.trim();
        match key.trim() {
            "density" => match value.parse::<f64>() {
                Ok(d) if (0.0..=1.0).contains(&d) => self.density = Some((d, all)),
                _ => return Err(self.error(format!("`{value}` is no density from 0 to 1"), span)),
            },
            "seed" => match value.parse() {
                Ok(seed) => self.seed = Some((seed, all)),
                Err(_) => {
                    return Err(self.error(format!("`{value}` is no seed, a whole number from 0"), span));
                }
            },
            other => {
                let span = Span::new(at, at + key.len());
                let message = format!("unknown setting `{}`", other.trim());
                return Err(self.unknown_word(message, other, span, &["density", "seed"]));
            }
        }
        Ok(())
    }
}

impl Generator {
    /// Reads a generator; the forms are at the head of this module.
    ///
    /// # Errors
    /// E0708 at the mistake.
    pub fn parse(source: &Source) -> Result<Generator> {
        let text = &*source.text;
        let (name, rest) = text.split_once(':').map_or((text, None), |(n, r)| (n, Some(r)));
        let mut settings = Settings { source, density: None, seed: None };
        let mut at = name.len() + 1;
        for word in rest.into_iter().flat_map(|r| r.split(',')) {
            settings.read(word, at)?;
            at += word.len() + 1;
        }
        let seed = settings.seed.map_or(0, |(seed, _)| seed);
        let (generator, takes): (Generator, &[&str]) = match name.trim() {
            "dense" => (Generator::Random { seed: 0 }, &[]),
            "ones" => (Generator::Ones, &[]),
            "range" => (Generator::Range, &[]),
            "random" => (Generator::Random { seed }, &["seed"]),
            "sparse" => {
                let density = settings.density.map_or(0.01, |(d, _)| d);
                (Generator::Sparse { density, seed }, &["density", "seed"])
            }
            "rows" | "columns" | "blocks" => {
                let shape = match name.trim() {
                    "rows" => PatternShape::Rows,
                    "columns" => PatternShape::Columns,
                    _ => PatternShape::Blocks,
                };
                let density = settings.density.map_or(0.01, |(d, _)| d);
                (Generator::Pattern { shape, density, seed }, &["density", "seed"])
            }
            "fem" => (Generator::Pattern { shape: PatternShape::Fem, density: 1.0, seed }, &["seed"]),
            other => {
                let (message, span) = (format!("unknown generator `{other}`"), Span::new(0, name.len()));
                let known =
                    ["dense", "ones", "range", "random", "sparse", "rows", "columns", "blocks", "fem"];
                return Err(settings.unknown_word(message, other, span, &known));
            }
        };
        let given = [("density", settings.density.map(|(_, s)| s)), ("seed", settings.seed.map(|(_, s)| s))];
        for (key, span) in given {
            if let Some(span) = span.filter(|_| !takes.contains(&key)) {
                return Err(settings.error(format!("`{}` takes no {key}", name.trim()), span));
            }
        }
        Ok(generator)
    }
    /// Makes the tensor.
    ///
    /// # Errors
    /// E0603 when it does not fit in memory.
    pub fn generate(&self, shape: &[usize], dtype: DType) -> Result<Generated> {
        stoppable(|| self.generate_entries(shape, dtype))
    }
    fn generate_entries(&self, shape: &[usize], dtype: DType) -> Result<Generated> {
        let own = match *self {
            Generator::Sparse { density, seed } => {
                let mut random = Random::new(seed);
                let places = pattern::scatter_coordinates(&mut random, shape, density)?;
                return place_values(shape, dtype, &places, &mut random).map(Generated::Sparse);
            }
            Generator::Pattern { shape: of, density, seed } => {
                let mut random = Random::new(seed);
                let last = shape.len().saturating_sub(1);
                let cell: Vec<usize> = shape
                    .iter()
                    .enumerate()
                    .map(|(m, &n)| match of {
                        PatternShape::Rows if m == 0 => 1,
                        PatternShape::Columns if m == last => 1,
                        PatternShape::Rows | PatternShape::Columns => n,
                        PatternShape::Blocks | PatternShape::Fem => BLOCK,
                    })
                    .collect();
                let places = match of {
                    PatternShape::Fem => pattern::line(shape)?,
                    PatternShape::Rows | PatternShape::Columns | PatternShape::Blocks => {
                        pattern::cells(&mut random, shape, &cell, density)?
                    }
                };
                return place_values(shape, dtype, &places, &mut random).map(Generated::Sparse);
            }
            Generator::Ones | Generator::Range | Generator::Random { .. } => self,
        };
        let len = checked_product("the generated tensor", shape)?;
        let vals = match *own {
            Generator::Ones => Buffer::repeat(Scalar::one(dtype), len)?,
            Generator::Range => values(dtype, len, |n| Scalar::from_i64(n as i64, dtype))?,
            Generator::Random { seed } | Generator::Sparse { seed, .. } | Generator::Pattern { seed, .. } => {
                let mut random = Random::new(seed);
                values(dtype, len, |_| value(&mut random, dtype))?
            }
        };
        Tensor::dense(shape, vals).map(Generated::Dense)
    }
}

/// A random value that may be zero.
fn value(random: &mut Random, dtype: DType) -> Scalar {
    match dtype.kind() {
        DTypeKind::Bool => Scalar::Bool(random.bits() >> 63 == 1),
        DTypeKind::Signed | DTypeKind::Unsigned => Scalar::from_i64(random.number_below(10) as i64, dtype),
        // Rounding a number just below one to `f32` would give one.
        DTypeKind::Float if dtype == DType::F32 => Scalar::F32(random.unit_f32()),
        DTypeKind::Float => Scalar::F64(random.unit()),
        DTypeKind::Complex if dtype == DType::C64 => {
            Scalar::C64(Complex::new(random.unit_f32(), random.unit_f32()))
        }
        DTypeKind::Complex => Scalar::C128(Complex::new(random.unit(), random.unit())),
    }
}

/// A random value that is not zero.
fn nonzero(random: &mut Random, dtype: DType) -> Scalar {
    match dtype.kind() {
        DTypeKind::Bool => Scalar::Bool(true),
        DTypeKind::Signed | DTypeKind::Unsigned => Scalar::from_i64(1 + random.number_below(9) as i64, dtype),
        DTypeKind::Float if dtype == DType::F32 => Scalar::F32(1.0 - random.unit_f32()),
        DTypeKind::Float => Scalar::F64(1.0 - random.unit()),
        DTypeKind::Complex if dtype == DType::C64 => {
            Scalar::C64(Complex::new(1.0 - random.unit_f32(), 1.0 - random.unit_f32()))
        }
        DTypeKind::Complex => Scalar::C128(Complex::new(1.0 - random.unit(), 1.0 - random.unit())),
    }
}

fn values(dtype: DType, len: usize, mut value: impl FnMut(usize) -> Scalar) -> Result<Buffer> {
    let mut out = Buffer::zeros(dtype, len)?;
    dispatch!(dtype, T => {
        for (n, slot) in out.as_mut_slice::<T>().unwrap_or(&mut []).iter_mut().enumerate() {
            tick();
            *slot = T::from_scalar(value(n));
        }
    });
    Ok(out)
}

/// Random values, none of them zero, at coordinates that are given by their numbers.
fn place_values(shape: &[usize], dtype: DType, places: &[u128], random: &mut Random) -> Result<Coo> {
    let mut coords = Vec::new();
    for &dim in shape {
        coords.push(Buffer::zeros(Coo::coord_dtype(dim), places.len())?);
    }
    for (e, &place) in places.iter().enumerate() {
        tick();
        let mut rest = place;
        for (array, &dim) in coords.iter_mut().zip(shape).rev() {
            array.set(e, Scalar::I64((rest % dim as u128) as i64));
            rest /= dim as u128;
        }
    }
    let vals = values(dtype, places.len(), |_| nonzero(random, dtype))?;
    Coo::new(shape.to_vec(), coords, vals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(text: &str, shape: &[usize], dtype: DType) -> Generated {
        Generator::parse(&Source::new("-g", text)).unwrap().generate(shape, dtype).unwrap()
    }

    #[test]
    fn dense_generators_fill_every_dtype() {
        for dtype in DType::ALL {
            let Generated::Dense(ones) = make("ones", &[2, 3], dtype) else { panic!() };
            assert!(ones.vals().iter().all(|v| v == Scalar::one(dtype)));
            let Generated::Dense(range) = make("range", &[2, 3], dtype) else { panic!() };
            assert_eq!(range.vals().get(5), Scalar::from_i64(5, dtype));
            let random = make("random:seed=0", &[500], dtype);
            assert_eq!(random, make("dense", &[500], dtype));
            assert_ne!(random, make("random:seed=1", &[500], dtype));
            let Generated::Dense(random) = random else { panic!() };
            let top = if dtype.is_int() { 9.0 } else { 1.0 };
            assert!(random.vals().iter().all(|v| (0.0..=top).contains(&v.as_f64())), "{dtype}");
        }
    }

    #[test]
    fn sparse_tensors_have_the_stated_number_of_distinct_sorted_entries() {
        for (shape, density, want) in [
            (vec![100, 200], "0.1", 2000),
            (vec![30, 40], "0.9", 1080),
            (vec![7], "1", 7),
            (vec![7, 0], "0.5", 0),
            (vec![5, 5], "0", 0),
            (vec![], "1", 1),
            (vec![1 << 40, 1 << 40], "1e-22", 121),
        ] {
            let coo =
                make(&format!("sparse:density={density},seed=3"), &shape, DType::I32).into_coo().unwrap();
            assert_eq!(coo.len(), want, "{shape:?}");
            coo.check_range().unwrap();
            let all: Vec<Vec<i64>> = (0..coo.len()).map(|e| coo.coords_of(e)).collect();
            assert!(all.windows(2).all(|w| w[0] < w[1]), "{shape:?}");
            assert!(coo.vals().iter().all(Scalar::truthy));
        }
        let e = Generator::Sparse { density: 1.0, seed: 0 }
            .generate(&[1 << 40, 1 << 40], DType::F64)
            .unwrap_err();
        assert_eq!(e.code().0, "E0603");
    }

    #[test]
    fn patterns_are_what_their_names_say() {
        let stored = |text: &str, shape: &[usize]| -> Vec<Vec<i64>> {
            let coo = make(text, shape, DType::F64).into_coo().unwrap();
            coo.check_range().unwrap();
            (0..coo.len()).map(|e| coo.coords_of(e)).collect()
        };
        let rows = stored("rows:density=0.5,seed=1", &[6, 3]);
        assert_eq!(rows.len(), 9);
        assert!(rows.chunks(3).all(|r| r.iter().all(|c| c[0] == r[0][0])), "{rows:?}");
        let columns = stored("columns:density=0.5,seed=1", &[3, 6]);
        assert!(columns.len() == 9 && columns.windows(2).all(|w| w[0] < w[1]), "{columns:?}");
        assert_eq!(stored("columns", &[5, 7]).len(), 5, "one at least");
        let blocks = stored("blocks:density=1", &[5, 6]);
        assert_eq!(blocks.len(), 30);
        assert_eq!(stored("blocks:density=0.25,seed=3", &[8, 8]).len(), 16);
        assert_eq!(stored("fem", &[3, 4]), [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 1], [2, 2], [2, 3]]);
        assert_eq!(stored("fem", &[3]).len(), 3);
        assert!(stored("rows", &[0, 4]).is_empty() && stored("fem", &[2, 0]).is_empty());
        assert_eq!(stored("rows", &[]).len(), 1);
    }

    #[test]
    fn mistakes_are_pointed_at() {
        for (text, column, words) in [
            ("", 1, "unknown generator ``"),
            ("dens", 1, "unknown generator `dens`"),
            ("sparse:density=2", 16, "`2` is no density"),
            ("sparse:density=0.1, seed=x", 26, "`x` is no seed"),
            ("sparse:size=3", 8, "unknown setting `size`"),
            ("random:7", 8, "expected `key=value`"),
            ("random:seed=1,density=0.5", 15, "`random` takes no density"),
            ("ones:seed=1", 6, "`ones` takes no seed"),
        ] {
            let e = Generator::parse(&Source::new("-g", text)).unwrap_err();
            let d = e.diagnostic().unwrap();
            let (source, span) = d.at.as_ref().unwrap();
            assert_eq!((d.code.0, source.line_col(span.start as usize).1), ("E0708", column), "{text}: {e}");
            assert!(d.message.contains(words), "{e}");
        }
    }
}
