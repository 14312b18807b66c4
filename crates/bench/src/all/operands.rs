//! The operands of a case, for us and for the peers, each made once for a matrix.

use super::Text;
use super::rows::{ModeExtent, OperandRecipe, TableRow};
use super::sources::MatrixSource;
use super::values;
use crate::inputs::{self, BenchRandom};
use crate::sparse::inputs::{shift_columns, sort_coordinates};
use crate::worker::Worker;
use openwork::{Buffer, Coo, Format, FormatExt, Scalar, Tensor, presets};
use openwork_storage::{files, pack};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What we get of an operand.
#[derive(Clone)]
pub enum PeerOperand {
    Tensor(Arc<Tensor>),
    List(Arc<Coo>),
    File(PathBuf),
}

/// The operands that were made of a matrix so far, by what the peers call them.
pub struct Operands<'a> {
    source: &'a MatrixSource,
    worker: &'a Worker,
    made: BTreeMap<String, PeerOperand>,
    loaded: Vec<String>,
    folder: tempfile::TempDir,
}

impl<'a> Operands<'a> {
    /// None so far.
    ///
    /// # Errors
    /// When the peers do not forget those of the matrix before.
    pub fn new(source: &'a MatrixSource, worker: &'a Worker) -> Text<Operands<'a>> {
        worker.clear()?;
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        Ok(Operands { source, worker, made: BTreeMap::new(), loaded: Vec::new(), folder })
    }
    /// The operands of a row by their names in the statement, and how the peers call them.
    ///
    /// # Errors
    /// When one cannot be made or handed over.
    pub fn row_operands(&mut self, row: &TableRow) -> Text<(Vec<(&'static str, PeerOperand)>, String)> {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for given in row.operands {
            let key = self.load(&given.1)?;
            let format = match given.1 {
                OperandRecipe::Matrix(format)
                | OperandRecipe::Right(format)
                | OperandRecipe::Array { format, .. }
                | OperandRecipe::Vector { format, .. } => format,
                OperandRecipe::Shifted(_)
                | OperandRecipe::Loose
                | OperandRecipe::Tensor
                | OperandRecipe::Dense(_)
                | OperandRecipe::File => "",
            };
            let kind = format!("{key} {format}");
            if !self.made.contains_key(&kind) {
                let operand = self.make(&given.1)?;
                self.made.insert(kind.clone(), operand);
            }
            ours.push((given.0, self.made[&kind].clone()));
            theirs.push(key);
        }
        Ok((ours, theirs.join(" ")))
    }
    fn coo(&self) -> &'a Coo {
        &self.source.coo
    }
    fn shape(&self, sides: &[ModeExtent]) -> Vec<usize> {
        let size = |side: &ModeExtent| match side {
            ModeExtent::Mode(mode) => self.source.facts.dims[*mode],
            ModeExtent::Of(n) => *n,
        };
        sides.iter().map(size).collect()
    }
    fn make(&self, made: &OperandRecipe) -> Text<PeerOperand> {
        let packed = |coo: &Coo, format: &str| -> Text<PeerOperand> {
            let format = self.format(format)?;
            Ok(PeerOperand::Tensor(Arc::new(super::text(inputs::pack_with_zero(coo, &format))?)))
        };
        const ROWS: &str = "csr ; pos = i32 ; crd = i32";
        match made {
            OperandRecipe::Matrix(format) => packed(self.coo(), format),
            OperandRecipe::Shifted(by) => packed(&shift_columns(self.coo(), *by)?, ROWS),
            OperandRecipe::Right(format) => packed(&self.right()?, format),
            OperandRecipe::Loose => Ok(PeerOperand::List(Arc::new(loose(self.coo())?))),
            OperandRecipe::Tensor => packed(self.coo(), "csf ; pos = i32 ; crd = i32"),
            OperandRecipe::Dense(sides) => {
                let tensor = super::text(inputs::formula(&self.shape(sides), seed(sides)))?;
                Ok(PeerOperand::Tensor(Arc::new(tensor)))
            }
            OperandRecipe::File => Ok(PeerOperand::File(self.folder.path().join("plain.mtx"))),
            OperandRecipe::Array { moved, values, format } => {
                self.pack_listed(&values::array(self.coo(), *moved, *values)?, format)
            }
            OperandRecipe::Vector { of, values, part, format } => {
                self.pack_listed(&values::vector(self.source.facts.dims[*of], *part, *values)?, format)
            }
        }
    }
    fn pack_listed(&self, coo: &Coo, format: &str) -> Text<PeerOperand> {
        let format = super::text(Format::parse(&self.fill_template(format), coo.rank()))?;
        let zero = Scalar::zero(coo.dtype());
        let fill = format.fill_value(coo.dtype()).unwrap_or(zero);
        Ok(PeerOperand::Tensor(Arc::new(super::text(pack(coo, &format, fill))?)))
    }
    /// A format of this matrix: blocks have its size.
    pub fn format(&self, text: &str) -> Text<Format> {
        super::text(Format::parse(&self.fill_template(text), self.source.facts.dims.len()))
    }
    /// A text with the size of blocks filled in, a format of compressed rows or fibres, and a variable for each mode.
    pub fn fill_template(&self, text: &str) -> String {
        let order = self.source.facts.dims.len();
        let names: Vec<&str> = ["i", "j", "k", "l", "m", "n", "p"].into_iter().take(order).collect();
        let format = if order == 2 { "csr ; pos = i32 ; crd = i32" } else { "csf ; pos = i32 ; crd = i32" };
        text.replace("{b}", &self.source.facts.block.unwrap_or(1).to_string())
            .replace("{i}", &names.join(","))
            .replace("{f}", format)
    }
    fn right(&self) -> Text<Coo> {
        let coo = self.coo();
        if coo.shape()[0] == coo.shape()[1] {
            return Ok(coo.clone());
        }
        let shape = vec![coo.shape()[1], coo.shape()[0]];
        let coords = vec![coo.coords(1).clone(), coo.coords(0).clone()];
        sort_coordinates(super::text(Coo::new(shape, coords, coo.vals().clone()))?)
    }
    /// Hands an operand to the peers, and says how they call it.
    fn load(&mut self, made: &OperandRecipe) -> Text<String> {
        let key = match made {
            OperandRecipe::Matrix(_) => "A".into(),
            OperandRecipe::Shifted(by) => format!("A{by}"),
            OperandRecipe::Right(_) if self.source.facts.dims[0] == self.source.facts.dims[1] => "A".into(),
            OperandRecipe::Right(_) => "R".into(),
            OperandRecipe::Loose => "L".into(),
            OperandRecipe::Tensor => "X".into(),
            OperandRecipe::File => "M".into(),
            OperandRecipe::Array { moved, values, .. } => format!("{}{moved}", values.key()),
            OperandRecipe::Vector { of, values, part, .. } => format!("v{of}_{part}_{}", values.key()),
            OperandRecipe::Dense(sides) => {
                let dims: Vec<String> = self.shape(sides).iter().map(usize::to_string).collect();
                format!("D{}_{}", seed(sides), dims.join("x"))
            }
        };
        if self.loaded.contains(&key) {
            return Ok(key);
        }
        match made {
            OperandRecipe::Matrix(_) => self.worker.load(&key, self.coo())?,
            OperandRecipe::Shifted(by) => self.worker.load(&key, &shift_columns(self.coo(), *by)?)?,
            OperandRecipe::Right(_) => self.worker.load(&key, &self.right()?)?,
            OperandRecipe::Loose => self.worker.loose(&key, &loose(self.coo())?)?,
            OperandRecipe::Tensor => self.worker.fibres(&key, self.coo())?,
            OperandRecipe::Dense(sides) => self.worker.dense(&key, &self.shape(sides), seed(sides))?,
            OperandRecipe::File => self.plain(&key)?,
            OperandRecipe::Array { moved, values, .. } => {
                self.worker.array(&key, &values::array(self.coo(), *moved, *values)?)?;
            }
            OperandRecipe::Vector { of, values, part, .. } => {
                self.worker.array(&key, &values::vector(self.source.facts.dims[*of], *part, *values)?)?;
            }
        }
        self.loaded.push(key.clone());
        Ok(key)
    }
    /// The file without compression.
    fn plain(&self, key: &str) -> Text<()> {
        let plain = self.folder.path().join("plain.mtx");
        let io = |e: std::io::Error| e.to_string();
        match &self.source.path {
            Some(path) if path.extension().is_some_and(|e| e == "gz") => {
                let mut packed = flate2::read::GzDecoder::new(std::fs::File::open(path).map_err(io)?);
                std::io::copy(&mut packed, &mut std::fs::File::create(&plain).map_err(io)?).map_err(io)?;
            }
            Some(path) => std::fs::copy(path, &plain).map(|_| ()).map_err(io)?,
            None => {
                let rows = super::text(inputs::pack_with_zero(self.coo(), &presets::coo(2)))?;
                super::text(files::write(&plain, &rows))?;
            }
        }
        self.worker.text(key, &plain)
    }
}

/// Dense operands of one shape along one mode are the same.
fn seed(sides: &[ModeExtent]) -> u64 {
    match sides.first() {
        Some(ModeExtent::Mode(mode)) => *mode as u64 + 1,
        _ => 0,
    }
}

/// The entries in random order; one in ten is the sum of two.
fn loose(coo: &Coo) -> Text<Coo> {
    let mut random = BenchRandom(17);
    let mut order: Vec<usize> = (0..coo.len()).chain((0..coo.len()).filter(|e| e % 10 == 0)).collect();
    for n in (1..order.len()).rev() {
        order.swap(n, random.number_below(n + 1));
    }
    let gather = |mode: usize| -> Text<Buffer> {
        let from = coo.coords(mode).as_slice::<i32>().ok_or("i32 coordinates")?;
        Ok(Buffer::from(order.iter().map(|&e| from[e]).collect::<Vec<i32>>()))
    };
    let vals = coo.vals().as_slice::<f64>().ok_or("f64 values")?;
    let vals: Vec<f64> = order.iter().map(|&e| if e % 10 == 0 { 0.5 * vals[e] } else { vals[e] }).collect();
    super::text(Coo::new(coo.shape().to_vec(), vec![gather(0)?, gather(1)?], Buffer::from(vals)))
}
