//! The dense level: child `parent * dim + coord` for every coordinate; no arrays.

use super::{LevelStorage, View};
use crate::error::checked_product;
use crate::index::Index;
use crate::pack::{Build, Entries};
use crate::tensor::LevelArrays;
use openwork_base::Result;
use rayon::prelude::*;
use std::ops::Range;

pub(super) struct Dense;

impl LevelStorage for Dense {
    fn name(&self) -> &'static str {
        "dense"
    }
    fn check(&self, view: View, parents: usize) -> Result<usize> {
        checked_product(&format!("dense level {}", view.number), &[parents, view.dim])
    }
    fn children(&self, view: View, parent: usize) -> Range<usize> {
        parent * view.dim..(parent + 1) * view.dim
    }
    fn coord(&self, view: View, parent: usize, position: usize) -> usize {
        position - parent * view.dim
    }
    fn locate(&self, view: View, parent: usize, coord: usize) -> Option<usize> {
        Some(parent * view.dim + coord)
    }
    fn stored<'a>(&self, _view: View<'a>) -> Option<Index<'a>> {
        None
    }
    fn pack(&self, build: &mut Build) -> Result<LevelArrays> {
        let dim = build.dim();
        let children = checked_product(&format!("dense level {}", build.number), &[build.parents, dim])?;
        let coord = build.coord();
        let n = build.len();
        build.entries = match &build.entries {
            // Under the root a child is its coordinate, which is already stored.
            Entries::Root => Entries::Coord(build.number),
            entries => {
                let coords = build.coords();
                Entries::Table(
                    (0..n).into_par_iter().map(|e| entries.at(e, &coords) * dim + coord.at(e)).collect(),
                )
            }
        };
        build.parents = children;
        Ok(LevelArrays::default())
    }
}
