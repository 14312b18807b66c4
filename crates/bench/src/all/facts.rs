//! What decides which rows a matrix suits, and how unlike two matrices are.

use crate::conversion::fits;
use openwork::Coo;

/// What something is besides an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixKind {
    Array,
    Image,
    /// Values at the leaves of a tree of moves, a mode for each.
    Tree,
}

/// What is known of a matrix or tensor.
#[derive(Clone, Debug)]
pub struct MatrixFacts {
    pub kind: MatrixKind,
    pub dims: Vec<usize>,
    pub nnz: usize,
    /// The size of blocks that it is made of.
    pub block: Option<usize>,
    /// Whether rows are about as long, all of them or in slices.
    pub fits_ell: bool,
    pub fits_sell: bool,
    /// Multiplications in a product with its right factor.
    pub products: usize,
    /// Whether its file is symmetric, where it has one.
    pub symmetric_file: Option<bool>,
    /// The longest row over the average one.
    skew: f64,
    /// The average distance from the diagonal over the number of columns.
    spread: f64,
}

/// Products of at most so many multiplications.
const PRODUCTS: usize = 20_000_000;

impl MatrixFacts {
    /// The facts of sorted entries without duplicates.
    pub fn from_entries(coo: &Coo, symmetric_file: Option<bool>) -> MatrixFacts {
        let (dims, nnz) = (coo.shape().to_vec(), coo.len());
        let mut facts = MatrixFacts {
            kind: MatrixKind::Array,
            dims,
            nnz,
            block: None,
            fits_ell: false,
            fits_sell: false,
            products: 0,
            symmetric_file,
            skew: 1.0,
            spread: 0.0,
        };
        if facts.is_matrix() {
            facts.measure(coo);
        }
        facts
    }
    fn measure(&mut self, coo: &Coo) {
        self.block = [4, 3, 2].into_iter().find(|b| fits(coo, &format!("bcsr({b},{b})")));
        self.fits_ell = fits(coo, "ell");
        let (mut rows, mut cols) = (vec![0usize; self.dims[0]], vec![0usize; self.dims[1]]);
        let mut distance = 0.0;
        for e in 0..self.nnz {
            let (i, j) = (coo.coords(0).get(e).as_i64() as usize, coo.coords(1).get(e).as_i64() as usize);
            rows[i] += 1;
            cols[j] += 1;
            distance += (j as f64 - i as f64).abs();
        }
        self.spread = distance / (self.nnz * self.dims[1]).max(1) as f64;
        self.skew = (rows.iter().max().unwrap_or(&0) * self.dims[0]) as f64 / self.nnz.max(1) as f64;
        let padded: usize = rows.chunks(8).map(|slice| 8 * slice.iter().max().unwrap_or(&0)).sum();
        self.fits_sell = padded <= 2 * self.nnz;
        let square = self.dims[0] == self.dims[1];
        // The rows of the right factor are the matrix's own, or its columns.
        let right = if square { &rows } else { &cols };
        self.products = (0..self.nnz).map(|e| right[coo.coords(1).get(e).as_i64() as usize]).sum();
    }
    pub fn is_matrix(&self) -> bool {
        self.dims.len() == 2 && self.kind == MatrixKind::Array
    }
    pub fn is_array(&self) -> bool {
        self.kind == MatrixKind::Array
    }
    pub fn is_image(&self) -> bool {
        self.kind == MatrixKind::Image
    }
    pub fn is_tree(&self, order: usize) -> bool {
        self.kind == MatrixKind::Tree && self.dims.len() == order
    }
    pub fn is_tensor(&self) -> bool {
        self.dims.len() == 3 && self.kind == MatrixKind::Array
    }
    pub fn is_square_product(&self) -> bool {
        self.is_product() && self.dims[0] == self.dims[1]
    }
    pub fn is_product(&self) -> bool {
        self.is_matrix() && self.products <= PRODUCTS
    }
    /// A place for each matrix such that unlike ones lie far from each other.
    fn features(&self) -> [f64; 9] {
        let flag = |f: bool| if f { 1.0 } else { 0.0 };
        let (rows, cols) = (self.dims[0] as f64, self.dims[1] as f64);
        [
            (self.nnz as f64).ln() / 2.0,
            (self.nnz as f64 / rows.max(1.0)).ln() / 2.0,
            self.skew.max(1.0).ln() / 2.0,
            2.0 * self.spread,
            (rows / cols.max(1.0)).ln().clamp(-1.0, 1.0),
            flag(self.block.is_some()),
            flag(self.fits_ell),
            flag(self.fits_sell),
            flag(self.symmetric_file == Some(true)),
        ]
    }
    fn distance(&self, other: &MatrixFacts) -> f64 {
        self.features().iter().zip(other.features()).map(|(a, b)| (a - b) * (a - b)).sum()
    }
}

/// The numbers of matrices, each as unlike those before as possible, the one with the most entries first.
pub fn sort_by_difference(all: &[&MatrixFacts]) -> Vec<usize> {
    let Some(first) = (0..all.len()).max_by_key(|&n| all[n].nnz) else { return Vec::new() };
    let mut order = vec![first];
    let mut apart: Vec<f64> = all.iter().map(|f| f.distance(all[first])).collect();
    while order.len() < all.len() {
        let left = (0..all.len()).filter(|n| !order.contains(n));
        let Some(next) = left.max_by(|a, b| apart[*a].total_cmp(&apart[*b])) else { break };
        order.push(next);
        apart.iter_mut().zip(all).for_each(|(d, f)| *d = d.min(f.distance(all[next])));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlike_matrices_come_first() {
        let diagonal =
            |n: usize| MatrixFacts::from_entries(&crate::inputs::band(n, 0).expect("a band"), None);
        let wide = MatrixFacts::from_entries(&crate::inputs::band(300, 40).expect("a band"), None);
        let all = [diagonal(300), diagonal(310), wide, diagonal(5000)];
        // The second of two small diagonals says nothing new.
        assert_eq!(sort_by_difference(&all.iter().collect::<Vec<_>>()), [2, 0, 3, 1]);
    }
}
