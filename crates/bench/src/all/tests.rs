//! Every row runs on a tiny matrix or tensor, and a peer with another result is found out.

use super::case::BenchContext;
use super::facts::MatrixKind;
use super::family::Family;
use super::operands::Operands;
use super::ours::Runner;
use super::rows::TableRow;
use super::sources::{MatrixSource, make_source};
use crate::inputs;
use crate::sums::WeightedSums;
use crate::worker::{PeerCall, Peers, Worker};
use std::time::Duration;

type Text<T> = Result<T, String>;

/// Loops in C, or what has none, that give a result of ours, and take no time.
struct Fake {
    sums: WeightedSums,
}

impl Peers for Fake {
    fn has(&self, op: &str) -> bool {
        ["c.", "graphblas.min_plus", "graphblas.masked", "graphblas.product", "pydata.", "numpy.", "scipy."]
            .iter()
            .any(|l| op.starts_with(l))
    }
    fn forget(&self) -> Text<()> {
        Ok(())
    }
    fn sums(&self, _: &PeerCall) -> Text<WeightedSums> {
        Ok(self.sums)
    }
    fn turn(&self, _: &PeerCall, _: usize, times: usize) -> Text<Vec<f64>> {
        Ok(vec![1e-3; times])
    }
}

/// Blocks of 2x2 that suit every row of matrices, a tensor, trees, an image, and a larger matrix.
fn tiny() -> Text<Vec<MatrixSource>> {
    let blocks = super::text(inputs::blocks(8, 2, 1))?;
    let tensor = super::text(inputs::tensor([4, 5, 6], 60, 1))?;
    let array = |name: &str, coo| make_source(Family::Arrays, name.into(), coo, None);
    let mut all = vec![array("blocks", blocks)?, array("tensor", tensor)?];
    all[0].facts.fits_ell = true;
    all[0].facts.fits_sell = true;
    for order in [3, 5, 7] {
        let leaves = super::text(inputs::leaves(&vec![3; order], 40, 1))?;
        let mut tree = array("tree", leaves)?;
        tree.facts.kind = MatrixKind::Tree;
        all.push(tree);
    }
    let mut image = array("image", super::text(inputs::leaves(&[20, 30], 400, 2))?)?;
    image.facts.kind = MatrixKind::Image;
    all.push(image);
    // Windows of 500 by 500 have room in this one.
    all.push(array("blocks", super::text(inputs::blocks(350, 2, 1))?)?);
    Ok(all)
}

fn suits(row: &TableRow, source: &mut MatrixSource) -> bool {
    // A file of either kind is written from the matrix.
    [Some(false), Some(true)].into_iter().any(|symmetric| {
        source.facts.symmetric_file = symmetric.filter(|_| source.facts.is_matrix());
        (row.suits)(&source.facts)
    })
}

#[test]
fn every_row_is_compared_and_a_wrong_result_is_found() -> Text<()> {
    let (absent, mut sources) = (Worker::absent(), tiny()?);
    for row in [Family::All, Family::Arrays].into_iter().flat_map(Family::rows) {
        let Some(source) = sources.iter_mut().find_map(|s| suits(row, s).then_some(&*s)) else {
            return Err(format!("{} suits none", row.name));
        };
        let mut operands = Operands::new(source, &absent)?;
        let given = operands.row_operands(row)?.0;
        let (sums, _) = Runner::new(row, &operands, &given)?.check()?;
        let right = Fake { sums };
        let mut bench = BenchContext::new(&right);
        let cells = bench.case(row, source, &mut operands, Duration::ZERO)?;
        assert_eq!((cells.len(), bench.wrong.len()), (2, 0), "{}", row.name);
        let wrong = Fake { sums: WeightedSums { entries: sums.entries + 1, ..sums } };
        let mut bench = BenchContext::new(&wrong);
        assert!(bench.case(row, source, &mut operands, Duration::ZERO)?.is_empty());
        assert!(!bench.wrong.is_empty(), "{}", row.name);
    }
    Ok(())
}
