//! What a statement of a sequence costs beside its kernel: lists of statements over vectors of few elements, as one sequence
//! and as kernels that are run one after the other.

use crate::Text;
use crate::timing::{Effort, TimedSubject, rounds};
use openwork::{Buffer, Kernel, Operand, Scalar, Sequence, Session, Tensor, declare_operands};
use std::time::Instant;

/// Statements of a list.
const STATEMENTS: usize = 20;
/// Elements of a vector.
const FEW: usize = 8;
/// Runs of a list that are timed as one.
const BATCH: u32 = 50;

/// A list: for each number, its statement. The name of its result comes first; names of one letter are scalars.
struct ListRow {
    name: &'static str,
    statement: fn(usize) -> String,
}

const ROWS: &[ListRow] = &[
    ListRow { name: "chain of one vector", statement: |_| "x0(i) = 0.5 * x0(i) + 1".into() },
    ListRow {
        name: "chain of vectors",
        statement: |k| format!("x{}(i) = 0.5 * x{k}(i) + 1", (k + 1) % STATEMENTS),
    },
    ListRow { name: "vectors apart", statement: |k| format!("x{k}(i) = 0.5 * x{k}(i) + 1") },
    ListRow { name: "results of one vector", statement: |k| format!("y{k}(i) = 0.5 * x0(i) + {k}") },
    ListRow { name: "sums of one vector", statement: |k| format!("{} = x0(i) * {k}", letter(k)) },
    ListRow {
        name: "sums and quotients",
        statement: |k| if k % 2 == 0 { "s = x0(i) * x0(i)" } else { "x0(i) = x0(i) / s" }.into(),
    },
];

fn text<T>(r: openwork::Result<T>) -> Text<T> {
    r.map_err(|e| e.to_string())
}

/// A letter for each number, but for the one that elements have.
fn letter(k: usize) -> char {
    "abcdefghjklmnopqrstu".chars().nth(k).unwrap_or('v')
}

/// A tensor that statements read or make, by its name.
struct NamedTensor {
    name: String,
    tensor: Tensor,
}

/// A kernel of a list, and by their numbers what it makes and what it is lent; what it makes it is given before if it reads
/// it.
struct ListKernel {
    kernel: Kernel,
    result: usize,
    lent: Vec<usize>,
    takes: bool,
}

/// A list in both ways.
struct ShortList {
    sequence: Sequence,
    kernels: Vec<ListKernel>,
    /// What statements read and make, with the numbers of those that the sequence makes last, and of those that it is given.
    tensors: Vec<NamedTensor>,
    made: Vec<usize>,
    given: Vec<usize>,
}

/// The names of a statement in their order.
fn read_names(statement: &str) -> impl Iterator<Item = &str> {
    let words = statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    words.filter(|word| *word != "i" && word.starts_with(|c: char| c.is_ascii_alphabetic()))
}

fn initial_tensor(name: &str) -> Text<Tensor> {
    match name.len() {
        1 => Ok(Tensor::scalar(Scalar::F64(1.0))),
        _ => text(Tensor::dense(&[FEW], Buffer::from((1..=FEW).map(|v| v as f64).collect::<Vec<_>>()))),
    }
}

/// A tensor in place of one that is given away.
fn nothing() -> Tensor {
    Tensor::scalar(Scalar::F64(0.0))
}

impl ShortList {
    fn compile(row: &ListRow) -> Text<ShortList> {
        let list: Vec<String> = (0..STATEMENTS).map(row.statement).collect();
        let mut tensors: Vec<NamedTensor> = Vec::new();
        for name in list.iter().flat_map(|statement| read_names(statement)) {
            if !tensors.iter().any(|known| known.name == name) {
                tensors.push(NamedTensor { name: name.into(), tensor: initial_tensor(name)? });
            }
        }
        let number = |name: &str| tensors.iter().position(|t| t.name == name).expect("all names are known");
        let pairs = |numbers: &[usize]| -> Vec<(&str, &Tensor)> {
            numbers.iter().map(|&n| (tensors[n].name.as_str(), &tensors[n].tensor)).collect()
        };
        let (mut kernels, mut made, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for statement in &list {
            let mut names = read_names(statement).map(number);
            let result = names.next().expect("every statement has a result");
            let mut reads: Vec<usize> = names.collect();
            reads.sort_unstable();
            reads.dedup();
            given.extend(
                reads.iter().copied().filter(|n| !made.contains(n) && !given.contains(n)).collect::<Vec<_>>(),
            );
            let kernel = text(Session::global().compile(statement, &declare_operands(&pairs(&reads))))?;
            let takes = reads.contains(&result);
            reads.retain(|&n| n != result);
            kernels.push(ListKernel { kernel, result, lent: reads, takes });
            if !made.contains(&result) {
                made.push(result);
            }
        }
        let asked: Vec<&str> = made.iter().map(|&n| tensors[n].name.as_str()).collect();
        let decls = declare_operands(&pairs(&given));
        let sequence = text(Session::global().sequence(&list.join("; "), &decls, Some(&asked)))?;
        Ok(ShortList { sequence, kernels, tensors, made, given })
    }
    /// Runs the sequence, which is given what it makes anew.
    fn run_sequence(&mut self) -> Text<()> {
        let mut taken: Vec<Option<Tensor>> = Vec::with_capacity(self.given.len());
        for n in &self.given {
            let own = self.made.contains(n);
            taken.push(own.then(|| std::mem::replace(&mut self.tensors[*n].tensor, nothing())));
        }
        let operands = self.given.iter().zip(taken).map(|(&n, own)| {
            let NamedTensor { name, tensor } = &self.tensors[n];
            (name.as_str(), own.map_or(Operand::Borrow(tensor), Operand::Take))
        });
        let results = text(self.sequence.run_taking(operands))?;
        for (name, made) in results.into_tensors() {
            let own = self.tensors.iter_mut().find(|own| own.name == name).ok_or("a result of no name")?;
            self.sequence.recycle(&name, std::mem::replace(&mut own.tensor, made));
        }
        Ok(())
    }
    /// Runs the kernels one after the other.
    fn run_kernels(&mut self) -> Text<()> {
        for ListKernel { kernel, result, lent, takes } in &self.kernels {
            let own = takes.then(|| std::mem::replace(&mut self.tensors[*result].tensor, nothing()));
            let named = |n: usize| self.tensors[n].name.as_str();
            let lent = lent.iter().map(|&n| (named(n), Operand::Borrow(&self.tensors[n].tensor)));
            let all = lent.chain(own.map(|own| (named(*result), Operand::Take(own))));
            let made = text(kernel.run_taking(all))?.tensor;
            kernel.recycle(std::mem::replace(&mut self.tensors[*result].tensor, made));
        }
        Ok(())
    }
    /// Runs the kernels one after the other into the same slice, which none of them reads.
    fn run_into_slice(&self, out: &mut [f64; FEW]) -> Text<()> {
        for ListKernel { kernel, result, lent, takes } in &self.kernels {
            let own = takes.then_some(result);
            let mut given: Vec<(&str, &Tensor)> = Vec::with_capacity(2);
            given.extend(
                lent.iter().chain(own).map(|&n| (self.tensors[n].name.as_str(), &self.tensors[n].tensor)),
            );
            let len = self.tensors[*result].tensor.vals().len();
            text(kernel.run_into_slice(&mut out[..len], &given))?;
        }
        Ok(())
    }
}

/// Prints for each list what a statement takes in a sequence, and what a kernel takes.
///
/// # Errors
/// Those of the library, and results that differ.
pub fn run(effort: Effort, filter: Option<&str>) -> Text<()> {
    let mut rows = ROWS.iter().filter(|row| filter.is_none_or(|f| row.name.contains(f))).peekable();
    if rows.peek().is_some() {
        println!(
            "\nshortest ns of each of {STATEMENTS} statements over {FEW} elements; `beside`: the sequence's without that of kernels"
        );
        println!(
            "{:<24} {:>10} {:>12} {:>14} {:>10} {:>8} {:>7}",
            "statements", "sequence", "run_taking", "run_into_slice", "beside", "actions", "joined"
        );
    }
    rows.try_for_each(|row| time_row(row, effort))
}

fn time_row(row: &ListRow, effort: Effort) -> Text<()> {
    let (mut whole, mut apart) = (ShortList::compile(row)?, ShortList::compile(row)?);
    for _ in 0..3 {
        whole.run_sequence()?;
        apart.run_kernels()?;
        if whole.tensors.iter().zip(&apart.tensors).any(|(a, b)| a.tensor != b.tensor) {
            return Err(format!("`{}` differ", row.name));
        }
    }
    let into = ShortList::compile(row)?;
    let (actions, joined) = (whole.sequence.actions().len(), whole.sequence.joined_statements().count());
    let mut subjects: [TimedSubject; 3] = [
        Box::new(|| time_batch(|| whole.run_sequence())),
        Box::new(|| time_batch(|| apart.run_kernels())),
        Box::new(|| time_batch(|| into.run_into_slice(&mut [0.0; FEW]))),
    ];
    let each = 1e6 / STATEMENTS as f64;
    let least = |times: Vec<f64>| each * times.into_iter().fold(f64::INFINITY, f64::min);
    let least: Vec<f64> = rounds(&mut subjects, effort).into_iter().map(least).collect();
    println!(
        "{:<24} {:>10.0} {:>12.0} {:>14.0} {:>10.0} {actions:>8} {joined:>7}",
        row.name,
        least[0],
        least[1],
        least[2],
        least[0] - least[1].min(least[2])
    );
    Ok(())
}

/// The time of one run.
fn time_batch(mut run: impl FnMut() -> Text<()>) -> std::time::Duration {
    let start = Instant::now();
    (0..BATCH).for_each(|_| run().expect("it ran before"));
    start.elapsed() / BATCH
}
