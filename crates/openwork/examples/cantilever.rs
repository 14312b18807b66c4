//! Assembles the stiffness matrix of a cantilever beam and writes it as MatrixMarket: the matrix that ships with the
//! repository.
//!
//! The beam is a plate in plane stress, 24 x 8 bilinear square elements, clamped at its left edge. Every node has two
//! displacements, every element adds an 8 x 8 matrix to the rows and columns of its four nodes, and the duplicates add
//! up when the entries are packed. Clamped displacements are left out, so the matrix is symmetric positive definite.
//!
//! ```text
//! cargo run -p openwork --example cantilever -- matrices/cantilever.mtx
//! ```

use openwork::{DType, Format, FormatExt, Scalar, Tensor, TensorExt};
use std::path::Path;

/// Elements along and across the beam.
const ELEMENTS: (usize, usize) = (24, 8);
/// Steel, in GPa and without a unit.
const YOUNG: f64 = 210.0;
const POISSON: f64 = 0.3;

/// The stiffness of one square element, by 2 x 2 Gauss integration of `Bᵀ D B`; it does not depend on its size.
fn element() -> [[f64; 8]; 8] {
    let scale = YOUNG / (1.0 - POISSON * POISSON);
    let d = [
        [scale, scale * POISSON, 0.0],
        [scale * POISSON, scale, 0.0],
        [0.0, 0.0, scale * (1.0 - POISSON) / 2.0],
    ];
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let g = 1.0 / 3f64.sqrt();
    let mut k = [[0.0; 8]; 8];
    for (x, y) in [(-g, -g), (g, -g), (g, g), (-g, g)] {
        // Strains from displacements. The unit square has Jacobian 1/2 in each direction.
        let mut b = [[0.0; 8]; 3];
        for (n, (cx, cy)) in corners.iter().enumerate() {
            let dx = cx * (1.0 + cy * y) / 2.0;
            let dy = cy * (1.0 + cx * x) / 2.0;
            b[0][2 * n] = dx;
            b[1][2 * n + 1] = dy;
            b[2][2 * n] = dy;
            b[2][2 * n + 1] = dx;
        }
        for (row, out) in k.iter_mut().enumerate() {
            for (col, sum) in out.iter_mut().enumerate() {
                for s in 0..3 {
                    for t in 0..3 {
                        *sum += b[s][row] * d[s][t] * b[t][col] / 4.0;
                    }
                }
            }
        }
    }
    k
}

/// The matrix of the clamped beam.
fn assemble() -> Result<Tensor, openwork::Error> {
    let (nx, ny) = ELEMENTS;
    // Nodes are numbered across the beam first; the clamped ones have no unknowns.
    let unknown = |x: usize, y: usize, axis: usize| (x > 0).then(|| ((x - 1) * (ny + 1) + y) * 2 + axis);
    let n = nx * (ny + 1) * 2;
    let k = element();
    let mut entries = Vec::new();
    for x in 0..nx {
        for y in 0..ny {
            let nodes = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)];
            let dofs: Vec<Option<usize>> =
                nodes.iter().flat_map(|&(a, b)| [unknown(a, b, 0), unknown(a, b, 1)]).collect();
            for (row, r) in dofs.iter().enumerate() {
                for (col, c) in dofs.iter().enumerate() {
                    if let (Some(r), Some(c)) = (r, c) {
                        entries.push((vec![*r, *c], Scalar::F64(k[row][col])));
                    }
                }
            }
        }
    }
    debug_assert!(entries.iter().all(|(_, v)| v.dtype() == DType::F64));
    Tensor::pack(&[n, n], &entries, &Format::parse("csr", 2)?)
}

fn main() -> Result<(), openwork::Error> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "matrices/cantilever.mtx".into());
    let matrix = assemble()?;
    openwork_storage::files::write(Path::new(&path), &matrix)?;
    println!("{path}: {} x {} with {} nonzeros", matrix.shape()[0], matrix.shape()[1], matrix.nnz());
    Ok(())
}
