//! Random cases: statements, dtypes, formats and data that are well-typed most of the time.

mod chain;
mod data;
mod epilogue;
mod expr;
mod own;
mod positions;
mod rows;
mod schedule;
mod sequence;
mod shapes;
mod source;
mod sums;
mod window;

pub use source::TestRandom;

use crate::case::{Case, CaseOperand, Wanted};
use data::{FormatRole, ValueSet};
use expr::{Operators, RandomTerm};
use openwork_algebra::{Arithmetic, DType, DTypeKind, Scalar};
use openwork_index::check::{has_one_reading, with_sums};
use std::collections::BTreeMap;

/// Seeds from here on name cases with a schedule.
pub const SCHEDULED: u64 = 1 << 48;

/// Seeds from here on, up to [`EPILOGUES`], name sums over the rows of a matrix, of any length.
pub const ROWS: u64 = 1 << 45;

/// Seeds from here on, up to [`SHAPES`], name products that something is added to, or done with.
pub const EPILOGUES: u64 = 1 << 46;

/// Seeds from here on, up to [`CHAINS`], name statements of shapes that others seldom have.
pub const SHAPES: u64 = EPILOGUES + (1 << 45);

/// Seeds from here on, up to [`SEQUENCES`], name chains of statements.
pub const CHAINS: u64 = 1 << 47;

/// Seeds from here on, up to [`SCHEDULED`], name statements over the rows of the same tensors.
pub const SEQUENCES: u64 = CHAINS + (1 << 46);

/// The case that `seed` names.
///
/// ```
/// use openwork_filetests::random::case;
/// assert_eq!(case(7), case(7));
/// assert!(case(7).text.contains('='));
/// ```
pub fn case(seed: u64) -> Case {
    if seed >= SCHEDULED {
        let case = case(seed - SCHEDULED);
        let mut r = TestRandom::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        return schedule::add_schedule(case, &mut r);
    }
    let mut r = TestRandom::new(seed.wrapping_mul(0xD6E8_FEB8_6659_FD93));
    let case = generate_case(seed);
    let case = if r.chance(WINDOWED) { window::add_windows(case, &mut r) } else { case };
    let case = if r.chance(POSITIONED) { positions::add_positions(case, &mut r) } else { case };
    if r.chance(SUMMED) { sums::add_sums(case, &mut r) } else { case }
}

/// So many cases in a hundred read operands where values say.
const POSITIONED: usize = 15;

/// So many cases in a hundred read operands where sums of index variables say.
const SUMMED: usize = 15;

/// So many cases in a hundred read parts of operands.
const WINDOWED: usize = 12;

/// A case that reads its operands as a whole.
fn generate_case(seed: u64) -> Case {
    let mut g = CaseGenerator::new(TestRandom::new(seed.wrapping_mul(0x2545_F491_4F6C_DD1D)));
    if seed >= SEQUENCES {
        return g.sequence();
    }
    if seed >= CHAINS {
        return g.chain();
    }
    if seed >= SHAPES {
        return g.generate_shape();
    }
    if seed >= EPILOGUES {
        return g.epilogue();
    }
    if seed >= ROWS {
        return g.rows();
    }
    if g.r.chance(10) {
        return g.copy();
    }
    let count = g.r.pick_weighted(&[(24, 1), (46, 2), (23, 3), (7, 4)]);
    g.operands(count);
    let value = g.expression();
    g.statement(value)
}

/// Names of operands.
const NAMES: [&str; 12] = ["A", "B", "C", "D", "E", "F", "G", "H", "P", "Q", "R", "S"];

#[derive(Clone)]
struct CaseGenerator {
    r: TestRandom,
    vars: Vec<(String, usize)>,
    lefts: Vec<String>,
    dtypes: Vec<DType>,
    values: ValueSet,
    operators: Operators,
    /// Whether operands differ most in how their last level keeps coordinates, of which there may be more than a word has
    /// bits.
    kin: bool,
    /// Whether operands store the same elements as the first one, mostly those of the result.
    twins: bool,
    /// Whether the last operand has the negated values of the first one.
    negated: bool,
    tensors: Vec<CaseOperand>,
    /// The accesses to combine: tensor and variables.
    accesses: Vec<(usize, Vec<String>)>,
}

impl CaseGenerator {
    fn new(mut r: TestRandom) -> CaseGenerator {
        let count = r.pick_weighted(&[(15, 1), (37, 2), (36, 3), (12, 4)]);
        let size = |r: &mut TestRandom| {
            r.pick_weighted(&[(2, 0), (8, 1), (20, 2), (30, 3), (25, 4), (12, 5), (3, 6)])
        };
        let common = if r.chance(50) { Some(size(&mut r)) } else { None };
        let mut vars: Vec<(String, usize)> = ["i", "j", "k", "l"][..count]
            .iter()
            .map(|name| (name.to_string(), common.unwrap_or_else(|| size(&mut r))))
            .collect();
        if r.chance(6) {
            large(&mut r, &mut vars);
        }
        let mut lefts: Vec<String> =
            vars.iter().filter(|_| r.chance(55)).map(|(name, _)| name.clone()).collect();
        if r.chance(25) {
            r.shuffle(&mut lefts);
        }
        let (values, operators) = r.pick_weighted(&[
            (82, (ValueSet::Finite, Operators::All)),
            (8, (ValueSet::Tropical, Operators::Tropical)),
            (10, (ValueSet::Wild, Operators::All)),
        ]);
        let dtypes = dtypes(&mut r);
        let kin = r.chance(18);
        if kin && r.chance(40) {
            let n = r.number_below(vars.len());
            vars[n].1 = 60 + r.number_below(80);
        }
        // Truth values are kept, and ended early, by words and vectors of them.
        if dtypes[0] == DType::Bool && r.chance(15) {
            let n = r.number_below(vars.len());
            vars.iter_mut().for_each(|(_, size)| *size = (*size).min(3));
            vars[n].1 = 120 + r.number_below(180);
        }
        let twins = r.chance(10);
        let (tensors, accesses) = (Vec::new(), Vec::new());
        let negated = false;
        CaseGenerator { r, vars, lefts, dtypes, values, operators, kin, twins, negated, tensors, accesses }
    }

    fn size_of(&self, var: &str) -> usize {
        self.vars.iter().find(|(name, _)| name == var).map_or(0, |(_, size)| *size)
    }

    fn operands(&mut self, count: usize) {
        for _ in 0..count {
            if !self.tensors.is_empty() && self.r.chance(18) {
                self.reuse_tensor();
            } else if self.twins && !self.tensors.is_empty() && self.r.chance(85) {
                self.twin();
            } else {
                let vars = self.some_vars();
                let shape = vars.iter().map(|v| self.size_of(v)).collect();
                let name = NAMES[self.tensors.len()];
                let dtype = self.r.pick(&self.dtypes.clone());
                let operand = self.operand(name, dtype, shape);
                self.tensors.push(operand);
                self.accesses.push((self.tensors.len() - 1, vars));
            }
        }
    }
    /// The elements of the first tensor with other values, over the same variables; with the negated ones, so that sums of both
    /// are zero.
    fn twin(&mut self) {
        let first = self.tensors[0].clone();
        let negated = first.dtype.is_float() && self.r.chance(40);
        let dtype = if negated { first.dtype } else { self.r.pick(&self.dtypes.clone()) };
        let name = NAMES[self.tensors.len()].into();
        let format = first.format.split("; fill").next().unwrap_or("").trim().to_string();
        let mut value = |old: &Scalar| match negated {
            true => Scalar::F64(-old.as_f64()).cast(dtype),
            false => data::value(&mut self.r, dtype, self.values),
        };
        let entries = first.entries.iter().map(|(at, old)| (at.clone(), value(old))).collect();
        let twin = CaseOperand { name, dtype, format, entries, ..first };
        if twin.pack().is_ok() {
            self.tensors.push(twin);
            self.negated = negated;
            self.accesses.push((self.tensors.len() - 1, self.accesses[0].1.clone()));
        }
    }
    /// Variables for a new access.
    fn some_vars(&mut self) -> Vec<String> {
        if self.twins && !self.lefts.is_empty() && self.r.chance(80) {
            return self.lefts.clone();
        }
        let rank = self.r.pick_weighted(&[(5, 0), (28, 1), (42, 2), (18, 3), (7, 4)]);
        let mut pool: Vec<String> = self.vars.iter().map(|(name, _)| name.clone()).collect();
        if self.r.chance(60) {
            // Variables of the result first, so that element-wise statements are common.
            pool.sort_by_key(|v| !self.lefts.contains(v));
        } else if self.r.chance(60) {
            self.r.shuffle(&mut pool);
        }
        pool.truncate(rank);
        if self.r.chance(30) {
            self.r.shuffle(&mut pool);
        }
        if !pool.is_empty() && self.r.chance(5) {
            let n = self.r.number_below(pool.len());
            pool.push(pool[n].clone());
        }
        pool
    }
    /// A tensor once more, with any variables of the right sizes.
    fn reuse_tensor(&mut self) {
        let n = self.r.number_below(self.tensors.len());
        let vars = self.fit_variables(&self.tensors[n].shape.clone());
        self.accesses.push((n, vars));
    }
    /// Variables for a tensor of this shape.
    fn fit_variables(&mut self, shape: &[usize]) -> Vec<String> {
        let mut vars: Vec<String> = Vec::new();
        for size in shape {
            let fitting: Vec<String> =
                self.vars.iter().filter(|(_, s)| s == size).map(|(name, _)| name.clone()).collect();
            let fresh: Vec<String> = fitting.iter().filter(|v| !vars.contains(v)).cloned().collect();
            let from = if fresh.is_empty() || self.r.chance(5) { fitting } else { fresh };
            vars.push(self.r.pick(&from));
        }
        vars
    }
    /// One operand in another format, perhaps with its modes in another order.
    fn copy(mut self) -> Case {
        let vars: Vec<String> = self.vars.iter().map(|(name, _)| name.clone()).collect();
        let dtype = self.dtypes[0];
        let shape = vars.iter().map(|v| self.size_of(v)).collect();
        let operand = self.operand("A", dtype, shape);
        let mut to = vars.clone();
        if self.r.chance(50) {
            self.r.shuffle(&mut to);
        }
        let format = Some(data::format(&mut self.r, vars.len(), FormatRole::Result));
        let text = format!("y({}) = A({})", to.join(","), vars.join(","));
        Case {
            tensors: vec![operand],
            dims: BTreeMap::new(),
            result: Wanted { format, ..Wanted::default() },
            text,
            ..Case::default()
        }
    }
    fn operand(&mut self, name: &str, dtype: DType, shape: Vec<usize>) -> CaseOperand {
        let mut format = data::format(&mut self.r, shape.len(), FormatRole::Operand);
        // What stores every value, and is converted into what does not, beside infinities.
        if self.values == ValueSet::Wild && !shape.is_empty() && self.r.chance(15) {
            format = "rle".into();
        }
        // Lists of elements lend results their structure.
        if self.twins && self.tensors.is_empty() && self.r.chance(50) {
            format = match shape.len() {
                0 => format,
                1 => "sv".into(),
                2 => self.r.pick(&["csr", "csc", "dcsr", "coo"]).into(),
                _ => "csf".into(),
            };
        }
        // Operands that are stored alike are merged level by level.
        if let Some(like) = self.tensors.iter().find(|t| t.shape == shape && !shape.is_empty())
            && self.r.chance(30)
        {
            format = like.format.split("; fill").next().unwrap_or("").trim().into();
        }
        if self.kin && !shape.is_empty() && self.r.chance(80) {
            format = data::special_levels(&mut self.r, shape.len());
        }
        if let Some(fill) = data::fill(&mut self.r, dtype, self.values) {
            format = format!("{format}; fill = {fill}");
        }
        let mut operand = CaseOperand { name: name.into(), dtype, shape, format, entries: Vec::new() };
        operand.entries = data::entries(&mut self.r, dtype, &operand.shape, operand.fill(), self.values);
        data::keep_triangle(&mut operand);
        if operand.pack().is_err() {
            // Not every format holds any data, nor every width any size.
            let fill =
                operand.format.split_once("; fill").map_or("", |(_, f)| f.split(';').next().unwrap_or(""));
            let plain = if operand.shape.is_empty() { "dense" } else { "csf" };
            operand.format = if fill.is_empty() { plain.into() } else { format!("{plain}; fill{fill}") };
        }
        operand
    }

    /// All accesses in one expression.
    fn expression(&mut self) -> RandomTerm {
        let counters: Vec<String> = {
            let used =
                |v: &String| self.lefts.contains(v) || self.accesses.iter().any(|(_, vars)| vars.contains(v));
            self.vars.iter().map(|(name, _)| name.clone()).filter(used).collect()
        };
        let mut terms: Vec<RandomTerm> = Vec::new();
        for (n, vars) in self.accesses.clone() {
            let CaseOperand { name, dtype, .. } = &self.tensors[n];
            let text = if vars.is_empty() { name.clone() } else { format!("{name}({})", vars.join(",")) };
            let mut free: Vec<String> = Vec::new();
            vars.iter().for_each(|v| {
                if !free.contains(v) {
                    free.push(v.clone());
                }
            });
            let term = match self.r.chance(4) {
                true => RandomTerm { text: format!("structure({text})"), dtype: DType::Bool, binds: 9, free },
                false => RandomTerm { text, dtype: *dtype, binds: 9, free },
            };
            terms.push(self.dress(term, &counters));
        }
        if let [a, b] = &terms[..]
            && self.negated
            && self.r.chance(60)
        {
            // Products of zeros that sums come to: how they are computed shows in their signs.
            let (a_text, b_text) = (a.at_least(6), b.at_least(5));
            let text = format!("({a_text} * ({a_text} + {b_text}))");
            return RandomTerm { text, dtype: self.tensors[0].dtype, binds: 9, free: a.free.clone() };
        }
        // Statements that read an operand more than once are where regions and spaces go wrong.
        while terms.len() < 6 && self.r.chance(35) {
            let again = self.r.pick(&terms);
            terms.push(self.dress(again, &counters));
        }
        self.r.shuffle(&mut terms);
        while terms.len() > 1 {
            let n = self.r.number_below(terms.len() - 1);
            let (a, b) = (terms.remove(n), terms.remove(n));
            let both = expr::combine(&mut self.r, a, b, self.operators);
            let both = self.dress(both, &counters);
            terms.insert(n, both);
        }
        terms.remove(0)
    }
    fn dress(&mut self, t: RandomTerm, counters: &[String]) -> RandomTerm {
        let t = expr::decorate(&mut self.r, t, counters, self.operators);
        if self.r.chance(12) { expr::reduce(&mut self.r, t, &self.lefts, self.operators) } else { t }
    }

    fn statement(mut self, value: RandomTerm) -> Case {
        let left =
            if self.lefts.is_empty() { "y".to_string() } else { format!("y({})", self.lefts.join(",")) };
        let shape: Vec<usize> = self.lefts.iter().map(|v| self.size_of(v)).collect();
        let sign = self.assignment(value.dtype);
        let mut text = format!("{left} {sign} {}", value.text);
        let mut result = Wanted::default();
        if sign != "=" || self.r.chance(3) {
            let dtype = self.wider(value.dtype);
            let old = self.operand("y", dtype, shape);
            self.tensors.push(old);
            if sign == "=" {
                let again = RandomTerm { text: left.clone(), dtype, binds: 9, free: self.lefts.clone() };
                text = format!("{left} = {}", expr::combine(&mut self.r, value, again, self.operators).text);
            }
        } else {
            result.dtype = if self.r.chance(20) { Some(self.wider(value.dtype)) } else { None };
            // Operands that are walked in ways of their own have results that are stored so.
            let kin = self.kin && !self.lefts.is_empty() && self.r.chance(60);
            let lent = self.twins && self.r.chance(60);
            result.format = match self.r.number_below(10) {
                _ if lent => None,
                _ if kin => Some(data::special_levels(&mut self.r, self.lefts.len())),
                0..4 => None,
                4..6 => Some("dense".into()),
                _ => Some(data::format(&mut self.r, self.lefts.len(), FormatRole::Result)),
            };
        }
        let on_operand = |v: &String| {
            self.accesses.iter().any(|(_, vars)| vars.contains(v)) || (sign != "=" && self.lefts.contains(v))
        };
        let dims: BTreeMap<String, usize> = self
            .vars
            .iter()
            .filter(|(name, _)| self.lefts.contains(name) && !on_operand(name))
            .cloned()
            .collect();
        if !self.lefts.is_empty() && self.r.chance(8) {
            text = format!("{text} where {}", self.mask());
        }
        let exact = self.r.chance(if self.values == ValueSet::Finite { 6 } else { 50 });
        let arithmetic = if exact { Arithmetic::Exact } else { Arithmetic::Annihilating };
        let text = own::add_definitions(text);
        let case = Case { tensors: self.tensors, dims, result, text, arithmetic, ..Case::default() };
        // A few keep a sum that is refused; in the others it stands where nothing says otherwise.
        if self.r.chance(5) { case } else { unambiguous(case) }
    }
    /// What a mask says: one or two conditions on operands and indices of the result, or their complement.
    fn mask(&mut self) -> String {
        let one = self.condition("M");
        let mask = match self.r.number_below(10) {
            0..7 => one,
            7 | 8 => {
                let other = self.condition("N");
                format!("({one} {} {other})", self.r.pick(&["&", "|"]))
            }
            _ if self.lefts.len() > 1 => {
                let order = self.r.pick(&["<", "<=", ">", "!=", "=="]);
                let order = format!("{} {order} {}", self.lefts[0], self.lefts[1]);
                if self.r.chance(50) { format!("(({order}) & {one})") } else { format!("({order})") }
            }
            _ => format!("({} != 1)", self.lefts[0]),
        };
        format!("{}{mask}", self.r.pick(&["", "!"]))
    }
    /// A condition on an operand over some indices of the result: its elements' truth, presence, or a comparison.
    fn condition(&mut self, name: &str) -> String {
        let mut vars = self.lefts.clone();
        self.r.shuffle(&mut vars);
        vars.truncate(1 + self.r.number_below(vars.len()));
        let shape = vars.iter().map(|v| self.size_of(v)).collect();
        let dtype = self.r.pick(&[DType::Bool, DType::Bool, DType::I32, DType::U8, DType::F64]);
        let mask = self.operand(name, dtype, shape);
        self.tensors.push(mask);
        let access = format!("{name}({})", vars.join(","));
        match self.r.number_below(10) {
            0..4 => format!("structure({access})"),
            4 | 5 if dtype != DType::Bool => {
                format!("({access} {} 1)", self.r.pick(&[">", "<", "==", "!=", ">="]))
            }
            _ => access,
        }
    }
    fn assignment(&mut self, dtype: DType) -> &'static str {
        let mut signs = vec![(100, "="), (8, "+=")];
        if dtype.kind() < DTypeKind::Complex {
            signs.extend([(3, "min="), (3, "max="), (2, "choose=")]);
        }
        if self.operators == Operators::All {
            signs.push((3, "*="));
            if dtype.kind() < DTypeKind::Float {
                signs.extend([(2, "|="), (2, "&="), (2, "^=")]);
            }
        }
        self.r.pick_weighted(&signs)
    }
    /// A dtype that can store `dtype`; mostly itself.
    fn wider(&mut self, dtype: DType) -> DType {
        let all: Vec<DType> = DType::ALL.into_iter().filter(|&to| dtype.casts_to(to)).collect();
        let near: Vec<DType> = all.iter().copied().filter(|to| to.kind() == dtype.kind()).collect();
        match self.r.number_below(10) {
            0..6 => dtype,
            6..9 => self.r.pick(&near),
            _ => self.r.pick(&all),
        }
    }
}

/// The case with its sums written out, where a function leaves open which ones are meant.
fn unambiguous(case: Case) -> Case {
    let Ok(statement) = case.statement() else { return case };
    match has_one_reading(&statement) {
        true => case,
        false => Case { text: with_sums(&statement).to_string(), ..case },
    }
}

/// Sizes with which storage that is not in proportion to the elements shows; a few thousand points in all.
fn large(r: &mut TestRandom, vars: &mut [(String, usize)]) {
    let sizes = r.pick(&[[40, 60, 2, 1], [60, 40, 1, 2], [1, 500, 3, 2], [500, 1, 2, 3], [16, 16, 16, 1]]);
    vars.iter_mut().zip(sizes).for_each(|((_, size), large)| *size = large);
    let names: Vec<String> = vars.iter().map(|(name, _)| name.clone()).collect();
    let mut order = names.clone();
    r.shuffle(&mut order);
    vars.iter_mut().zip(order).for_each(|((name, _), other)| *name = other);
    vars.sort();
}

/// The dtypes a case uses.
fn dtypes(r: &mut TestRandom) -> Vec<DType> {
    use DType::*;
    let one = r.pick_weighted(&[
        (30, F64),
        (12, F32),
        (12, I32),
        (14, I64),
        (12, Bool),
        (8, C128),
        (2, C64),
        (3, I8),
        (2, I16),
        (3, U8),
        (2, U16),
        (2, U32),
        (3, U64),
    ]);
    if r.chance(5) {
        // No integer dtype holds both.
        return vec![U64, r.pick(&[I64, I64, I32, I8])];
    }
    match r.number_below(10) {
        0..6 => vec![one],
        6..8 => vec![one, r.pick(&[F64, F32, I64, I32, Bool])],
        _ => vec![one, r.pick(&DType::ALL), r.pick(&DType::ALL)],
    }
}
