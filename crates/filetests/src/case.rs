//! One statement with its operands: what a `.t` file declares and what the generator makes.

use crate::oracle::{OracleArray, OracleInputs, StoredSlot};
use openwork::Conversion;
use openwork_algebra::{Arithmetic, DType, Prim, Scalar};
use openwork_base::{Result, Source};
use openwork_format::{Catalog, Format};
use openwork_index::notation::{StatementSyntax, parse};
use openwork_index::schedule::Schedule;
use openwork_index::{Decl, Decls};
use openwork_storage::{Coo, Tensor, pack, unpack};
use std::collections::BTreeMap;
use std::fmt;

/// An operand as entries; duplicates are summed.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseOperand {
    /// Its name.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Size of each mode.
    pub shape: Vec<usize>,
    /// Format text, fill included.
    pub format: String,
    /// What is stored, in any order.
    pub entries: Vec<(Vec<usize>, Scalar)>,
}

/// What is asked of the result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Its dtype; `None` takes the expression's.
    pub dtype: Option<DType>,
    /// Its format text; `None` lets the planner choose.
    pub format: Option<String>,
    /// The size of each mode, where it is declared.
    pub shape: Option<Vec<usize>>,
}

/// A statement that is carried out before others, which read its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// What is asked of the result.
    pub result: Wanted,
    /// The statement.
    pub text: String,
}

/// A statement with everything it needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    /// Statements that are carried out before, in this order; operands are for all of them.
    pub before: Vec<Link>,
    /// What they made: operands with the arrays that kernels gave them.
    pub made: BTreeMap<String, Tensor>,
    /// The operands; for a compound assignment also the old value of the result.
    pub tensors: Vec<CaseOperand>,
    /// Sizes of index variables that no operand fixes.
    pub dims: BTreeMap<String, usize>,
    /// What is asked of the result.
    pub result: Wanted,
    /// The statement.
    pub text: String,
    /// Commands that rewrite its plan, as text; nothing for none.
    pub schedule: String,
    /// How annihilators stand beside infinities and NaN.
    pub arithmetic: Arithmetic,
}

/// The format of a tensor of the given name and rank.
///
/// # Errors
/// `E03xx` as the text deserves.
pub fn read_format(name: &str, text: &str, rank: usize) -> Result<Format> {
    Catalog::default().parse(&Source::new(format!("format of {name}"), text), rank)
}

impl CaseOperand {
    /// The format, read for the tensor's rank.
    ///
    /// # Errors
    /// `E03xx` as the format's text deserves.
    pub fn read_format(&self) -> Result<Format> {
        read_format(&self.name, &self.format, self.shape.len())
    }
    /// The fill value; zero where the format's text has none for the dtype.
    pub fn fill(&self) -> Scalar {
        let format = self.read_format().ok();
        format.and_then(|f| f.fill_value(self.dtype)).unwrap_or(Scalar::zero(self.dtype))
    }
    /// The tensor as a dense array.
    pub fn dense(&self) -> OracleArray {
        let len = self.shape.iter().product();
        let mut values: Vec<Option<Scalar>> = vec![None; len];
        for (at, value) in &self.entries {
            let flat = at.iter().zip(&self.shape).fold(0, |flat, (c, size)| flat * size + c);
            values[flat] = Some(match values[flat] {
                None => *value,
                Some(sum) => Prim::Add.eval(&[sum, *value]).expect("values of one tensor have one dtype"),
            });
        }
        let fill = self.fill();
        let values = values.into_iter().map(|v| v.unwrap_or(fill)).collect();
        OracleArray { shape: self.shape.clone(), dtype: self.dtype, values }
    }
    /// The tensor in its format.
    ///
    /// # Errors
    /// Those of reading the format and of [`pack()`].
    pub fn pack(&self) -> Result<Tensor> {
        let coo = Coo::from_entries(&self.shape, self.dtype, &self.entries)?;
        pack(&coo, &self.read_format()?, self.fill())
    }
}

impl Case {
    /// The statement's syntax tree.
    ///
    /// # Errors
    /// `E01xx`.
    pub fn statement(&self) -> Result<StatementSyntax> {
        parse(&Source::new("statement", self.text.as_str()))
    }
    /// The commands that rewrite its plan.
    ///
    /// # Errors
    /// `E0811`.
    pub fn commands(&self) -> Result<Schedule> {
        Schedule::parse(&self.schedule)
    }
    /// The operand called `name`.
    pub fn operand(&self, name: &str) -> Option<&CaseOperand> {
        self.tensors.iter().find(|t| t.name == name)
    }
    /// The name on the left of the statement.
    pub fn result_name(&self) -> &str {
        left_name(&self.text)
    }
    /// The statement alone, with what those before it made as operands.
    ///
    /// # Errors
    /// E0603 when there is no memory for the entries of what was made.
    pub fn last(&self, made: &[(String, Tensor)]) -> Result<Case> {
        self.isolate(&Link { result: self.result.clone(), text: self.text.clone() }, made, &self.schedule)
    }
    /// Statement number `n` of those before, alone.
    ///
    /// # Errors
    /// As [`Case::last`].
    pub fn link(&self, n: usize, made: &[(String, Tensor)]) -> Result<Case> {
        self.isolate(&self.before[n], made, "")
    }
    fn isolate(&self, link: &Link, made: &[(String, Tensor)], schedule: &str) -> Result<Case> {
        let Link { result, text } = link.clone();
        let mut case = Case { before: Vec::new(), result, text, schedule: schedule.into(), ..self.clone() };
        for (name, t) in made {
            let entries = unpack(t)?.sorted_entries().into_iter();
            case.tensors.push(CaseOperand {
                name: name.clone(),
                dtype: t.dtype(),
                shape: t.shape().to_vec(),
                format: t.format().to_string(),
                entries: entries.map(|(at, v)| (at.iter().map(|&c| c as usize).collect(), v)).collect(),
            });
            case.made.insert(name.clone(), t.clone());
        }
        let Ok(s) = case.statement() else { return Ok(case) };
        let mut names = s.operands();
        names.push(&s.lhs.name.text);
        case.tensors.retain(|t| names.contains(&t.name.as_str()));
        case.made.retain(|name, _| names.contains(&name.as_str()));
        let vars = s.index_names();
        case.dims.retain(|name, _| vars.contains(&name.as_str()));
        Ok(case)
    }
    /// What the checker may know.
    ///
    /// # Errors
    /// `E03xx` for a format text that is none.
    pub fn decls(&self, s: &StatementSyntax) -> Result<Decls> {
        let arithmetic = Some(self.arithmetic);
        let mut decls = Decls { dims: self.dims.clone(), arithmetic, ..Decls::default() };
        for t in &self.tensors {
            let made = self.made.get(&t.name).map(|made| made.format().clone());
            let decl = Decl {
                dtype: Some(t.dtype),
                format: Some(made.map_or_else(|| t.read_format(), Ok)?),
                shape: Some(t.shape.clone()),
                stored: None,
                elements: None,
            };
            decls.tensors.insert(t.name.clone(), decl);
        }
        let name = &s.lhs.name.text;
        if self.operand(name).is_none() && self.result != Wanted::default() {
            let read = |text: &String| {
                Catalog::default()
                    .parse(&Source::new(format!("format of {name}"), text.as_str()), s.lhs.indices.len())
            };
            let format = self.result.format.as_ref().map(read).transpose()?;
            decls.tensors.insert(
                name.clone(),
                Decl {
                    dtype: self.result.dtype,
                    format,
                    shape: self.result.shape.clone(),
                    stored: None,
                    elements: None,
                },
            );
        }
        Ok(decls)
    }
    /// What the oracle needs.
    pub fn inputs(&self) -> OracleInputs {
        let mut arrays: BTreeMap<_, _> =
            self.tensors.iter().map(|t| (t.name.clone(), self.dense(t))).collect();
        let mut stored: BTreeMap<_, _> =
            self.tensors.iter().filter_map(|t| Some((t.name.clone(), self.stored_slots(t)?))).collect();
        // Some semirings ask what is stored.
        let asking = ["structure(", "land_", "lxnor_", "eq_", "band_", "bxnor_"];
        let asks = asking.iter().any(|asking| self.text.contains(asking));
        let fill = |t: &CaseOperand| {
            let tensor = self.tensor(t).ok().filter(|tensor| !tensor.format().is_full())?;
            Some((t.name.clone(), tensor.fill()))
        };
        let fills = self.tensors.iter().filter_map(fill).collect();
        let of = |t: &CaseOperand| Some((t.name.clone(), self.tensor(t).ok()?.fill()));
        let outside = self.tensors.iter().filter_map(of).collect();
        for t in self.tensors.iter().filter(|_| asks) {
            let name = format!("structure({})", t.name);
            arrays.insert(name.clone(), self.structure(t));
            stored.extend(self.stored_slots(t).map(|slots| (name, slots)));
        }
        let old = self.operand(self.result_name()).map(|t| t.dtype);
        OracleInputs {
            arrays,
            dims: self.dims.clone(),
            result: old.or(self.result.dtype),
            shape: self.result.shape.clone(),
            fill: self.wanted_fill(),
            arithmetic: self.arithmetic,
            stored,
            fills,
            outside,
        }
    }
    /// The fill value that is asked of the result.
    fn wanted_fill(&self) -> Option<String> {
        let text = self.result.format.as_ref()?;
        let rank = self.statement().ok()?.lhs.indices.len();
        read_format("the result", text, rank).ok()?.fill.map(|fill| fill.to_string())
    }
    /// What the oracle evaluates where operands are converted before the kernel runs: a format with padding may have slots
    /// at coordinates where the given tensor has none.
    pub fn inputs_converted(&self, conversions: &[Conversion]) -> OracleInputs {
        let mut inputs = self.inputs();
        for c in conversions.iter().filter(|c| c.format.has_padding()) {
            let taken = conversions.iter().find(|part| part.made == c.source && part.takes_part());
            let source = &taken.unwrap_or(c).source;
            let slots = inputs.stored.get_mut(source).into_iter().flatten();
            slots.filter(|slot| **slot == StoredSlot::Absent).for_each(|slot| *slot = StoredSlot::Padding);
        }
        inputs
    }
    /// An operand as a dense array.
    pub fn dense(&self, t: &CaseOperand) -> OracleArray {
        match self.made.get(&t.name).map(Tensor::to_dense_scalars) {
            Some(Ok(values)) => OracleArray { shape: t.shape.clone(), dtype: t.dtype, values },
            _ => t.dense(),
        }
    }
    /// Which elements an operand stores: all of a dense one, and of a format with padding those that are not the fill value.
    pub fn structure(&self, operand: &CaseOperand) -> OracleArray {
        let len = operand.shape.iter().product();
        let mut values = vec![Scalar::Bool(false); len];
        if let Ok(t) = self.tensor(operand) {
            let all = t.format().is_dense();
            let padded = t.format().has_padding();
            t.for_each(|at, value| {
                let flat = at.iter().zip(&operand.shape).fold(0, |flat, (c, size)| flat * size + c);
                if all || !(padded && value.is_same(t.fill())) {
                    values[flat] = Scalar::Bool(true);
                }
            });
        }
        OracleArray { shape: operand.shape.clone(), dtype: DType::Bool, values }
    }
    /// What an operand stores of each element; nothing for dense operands, and for data that its format cannot hold.
    fn stored_slots(&self, operand: &CaseOperand) -> Option<Vec<StoredSlot>> {
        let t = self.tensor(operand).ok().filter(|t| !t.format().is_dense())?;
        let mut stored = vec![StoredSlot::Absent; operand.shape.iter().product()];
        let padded = t.format().has_padding();
        t.for_each(|at, value| {
            let flat = at.iter().zip(&operand.shape).fold(0, |flat, (c, size)| flat * size + c);
            stored[flat] =
                if padded && value.is_same(t.fill()) { StoredSlot::Padding } else { StoredSlot::Element };
        });
        Some(stored)
    }
    fn tensor(&self, operand: &CaseOperand) -> Result<Tensor> {
        self.made.get(&operand.name).map_or_else(|| operand.pack(), |t| Ok(t.clone()))
    }
    /// The operands that the statement takes, in their formats; a file may declare others, which kernels refuse.
    ///
    /// # Errors
    /// Those of [`CaseOperand::pack`].
    pub fn pack(&self) -> Result<BTreeMap<String, Tensor>> {
        let statement = self.statement()?;
        let taken = statement.read_tensors();
        let operands = self.tensors.iter().filter(|t| taken.contains(&t.name.as_str()));
        operands.map(|t| Ok((t.name.clone(), self.tensor(t)?))).collect()
    }
}

/// The definitions of functions before a statement, and the statement.
pub(crate) fn parts(text: &str) -> (&str, &str) {
    let is_definition = text.trim_start().starts_with("def ");
    // In a definition, what follows a semicolon is in braces.
    let end = if is_definition { text.rfind("; ").map_or(0, |at| at + 2) } else { 0 };
    text.split_at(end)
}

/// The name on the left of a statement.
pub(crate) fn left_name(text: &str) -> &str {
    parts(text).1.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("")
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// Text that a `.t` line holds as one word.
pub(crate) fn word(text: &str) -> String {
    if text.is_empty() || text.contains(char::is_whitespace) { format!("\"{text}\"") } else { text.into() }
}

impl Wanted {
    /// The line of a `.t` file, where anything is asked.
    fn write(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Wanted::default() {
            return Ok(());
        }
        write!(f, "result {name}")?;
        self.shape.iter().try_for_each(|shape| write!(f, "[{}]", list(shape)))?;
        self.dtype.iter().try_for_each(|d| write!(f, " {d}"))?;
        self.format.iter().try_for_each(|text| write!(f, " {}", word(text)))?;
        writeln!(f)
    }
}

impl fmt::Display for CaseOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tensor {} {}[{}] {} =", self.name, self.dtype, list(&self.shape), word(&self.format))?;
        if self.shape.is_empty() && self.entries.len() == 1 {
            return write!(f, " {}", self.entries[0].1);
        }
        self.entries.iter().try_for_each(|(at, value)| write!(f, " ({}):{value}", list(at)))
    }
}

impl fmt::Display for Case {
    /// The header of a `.t` file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tensors.iter().try_for_each(|t| writeln!(f, "{t}"))?;
        self.dims.iter().try_for_each(|(name, size)| writeln!(f, "dim {name} = {size}"))?;
        if self.arithmetic == Arithmetic::Exact {
            writeln!(f, "arithmetic exact")?;
        }
        for link in &self.before {
            link.result.write(left_name(&link.text), f)?;
            writeln!(f, "expr {}", link.text)?;
        }
        self.result.write(self.result_name(), f)?;
        if !self.schedule.is_empty() {
            writeln!(f, "schedule {}", self.schedule)?;
        }
        writeln!(f, "expr {}", self.text)
    }
}
