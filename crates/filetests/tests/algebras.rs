//! For every iteration algebra over up to four tensors, what is visited is exactly its set, once each: by the trace of the
//! iteration graph, and by the trace of what the interpreter stores.
//!
//! Up to renaming of operands there are 3983 sets of regions of four tensors (those of fewer are among them: an operand that
//! does not matter). Each is written as an algebra in one of many ways, as the algebra of a function that is not 0 exactly
//! there. Beside comparisons of index variables, points, intervals and their complements, what is visited is what both have.
//! `OPENWORK_CASES` says how many of the sets are taken, or a range of their numbers; without it, a quarter.

use openwork::{BackendKind, Decl, Decls, Format, FormatExt, Scalar, Session, Stages, Tensor};
use openwork_algebra::DType;
use openwork_backend::InterpBackend;
use openwork_backend::interp::Write;
use openwork_filetests::case::CaseOperand;
use openwork_filetests::random::TestRandom;
use openwork_index::cin::eval::Array;
use openwork_index::{TensorId, TensorKind};
use openwork_levels::Registry;
use openwork_lower::find_predicates;
use openwork_lower::graph::Graph;
use openwork_lower::graph::eval::trace;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

const OPERANDS: usize = 4;
const REGIONS: usize = 1 << OPERANDS;
const NAMES: [&str; OPERANDS] = ["A", "B", "C", "D"];
const PARAMS: [&str; OPERANDS] = ["x", "y", "z", "w"];

/// A set of regions: bit `r` tells whether a coordinate belongs to it that exactly the operands of the bits of `r` store.
type Table = u16;

fn holds(table: Table, region: usize) -> bool {
    table >> region & 1 == 1
}

/// One table of each class of those that are alike but for the names of operands.
fn classes() -> Vec<Table> {
    let mut orders = Vec::new();
    for n in 0..OPERANDS.pow(OPERANDS as u32) {
        let order: Vec<usize> = (0..OPERANDS).map(|k| n / OPERANDS.pow(k as u32) % OPERANDS).collect();
        if order.iter().collect::<BTreeSet<_>>().len() == OPERANDS {
            orders.push(order);
        }
    }
    let renamed = |table: Table, order: &[usize]| {
        let to = |r: usize| (0..OPERANDS).fold(0, |to, k| to | (r >> k & 1) << order[k]);
        (0..REGIONS).fold(0, |out, r| out | Table::from(holds(table, r)) << to(r))
    };
    // Of all coordinates nothing is said: outside of them there is no value that a result could be filled with.
    (0..Table::MAX).filter(|&t| orders.iter().all(|o| renamed(t, o) >= t)).collect()
}

/// A set as it is written.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    All,
    Nothing,
    Arg(usize),
    Not(Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
}

impl Tree {
    fn and(self, other: Tree) -> Tree {
        match (self, other) {
            (Tree::Nothing, _) | (_, Tree::Nothing) => Tree::Nothing,
            (Tree::All, t) | (t, Tree::All) => t,
            (a, b) => Tree::And(Box::new(a), Box::new(b)),
        }
    }
    fn or(self, other: Tree) -> Tree {
        match (self, other) {
            (Tree::All, _) | (_, Tree::All) => Tree::All,
            (Tree::Nothing, t) | (t, Tree::Nothing) => t,
            (a, b) => Tree::Or(Box::new(a), Box::new(b)),
        }
    }
    fn complement(self) -> Tree {
        match self {
            Tree::All => Tree::Nothing,
            Tree::Nothing => Tree::All,
            Tree::Not(t) => *t,
            t => Tree::Not(Box::new(t)),
        }
    }
    /// In the language of algebras, or of conditions, with an operand as `arg` says.
    fn text(&self, arg: &dyn Fn(usize) -> String) -> String {
        match self {
            Tree::All => format!("({0} | !{0})", arg(0)),
            Tree::Nothing => format!("({0} & !{0})", arg(0)),
            Tree::Arg(k) => arg(*k),
            Tree::Not(t) => format!("!{}", t.text(arg)),
            Tree::And(a, b) => format!("({} & {})", a.text(arg), b.text(arg)),
            Tree::Or(a, b) => format!("({} | {})", a.text(arg), b.text(arg)),
        }
    }
}

/// A way to write the set of a table of the operands in `left`: by what is left of it with and without one of them, as a
/// union or an intersection, or the complement of the complement's.
fn write_set(table: Table, left: &[usize], r: &mut TestRandom) -> Tree {
    if table == 0 {
        return Tree::Nothing;
    }
    if table == Table::MAX {
        return Tree::All;
    }
    if r.chance(20) {
        return write_set(!table, left, r).complement();
    }
    let (n, &k) = {
        let n = r.number_below(left.len());
        (n, &left[n])
    };
    let part = |with: usize| {
        let at = |region: usize| region & !(1 << k) | with << k;
        (0..REGIONS).fold(0, |out, region| out | Table::from(holds(table, at(region))) << region)
    };
    let rest: Vec<usize> = left.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, k)| *k).collect();
    let (without, with) = (part(0), part(1));
    let arg = || Tree::Arg(k);
    if with == without {
        return write_set(with, &rest, r);
    }
    let [w, o] = [with, without].map(|t| write_set(t, &rest, r));
    match (with & without == without, with & without == with) {
        (true, _) if r.chance(50) => o.or(arg().and(w)),
        (_, true) if r.chance(50) => w.or(arg().complement().and(o)),
        _ if r.chance(50) => arg().and(w).or(arg().complement().and(o)),
        _ => arg().or(o).and(arg().complement().or(w)),
    }
}

/// Operands: what each stores, by coordinates.
type Entries = BTreeMap<Vec<usize>, i64>;

/// A comparison of index variables beside a set.
#[derive(Clone, Debug)]
struct Compared {
    text: String,
    holds: fn(&[usize], usize) -> bool,
    bound: usize,
}

/// Points, intervals and complements of both, by the number of variables; `N` is a number. A union of two is a value, and no set.
type ComparedForm = (&'static str, fn(&[usize], usize) -> bool);
const OF_ONE: &[ComparedForm] = &[
    ("i == N", |at, n| at[0] == n),
    ("i != N", |at, n| at[0] != n),
    ("i < N", |at, n| at[0] < n),
    ("i >= N", |at, n| at[0] >= n),
    ("(i > N) & (i <= N + 9)", |at, n| at[0] > n && at[0] <= n + 9),
    ("!(i > N)", |at, n| at[0] <= n),
    ("(i != N) & (i != N + 2)", |at, n| at[0] != n && at[0] != n + 2),
];
const OF_TWO: &[ComparedForm] = &[
    ("j == N", |at, n| at[1] == n),
    ("j != N", |at, n| at[1] != n),
    ("i == N", |at, n| at[0] == n),
    ("i >= N", |at, n| at[0] >= n),
    ("j < N", |at, n| at[1] < n),
    ("j < i", |at, _| at[1] < at[0]),
    ("j >= i", |at, _| at[1] >= at[0]),
    ("j == i + N", |at, n| at[1] == at[0] + n),
    ("i != j", |at, _| at[0] != at[1]),
    ("(j - i <= 2) & (i - j <= 1)", |at, _| at[1] <= at[0] + 2 && at[0] <= at[1] + 1),
    ("!(j <= i)", |at, _| at[1] > at[0]),
    ("i + j == N", |at, n| at[0] + at[1] == n),
];

impl Compared {
    fn draw(shape: &[usize], r: &mut TestRandom) -> Compared {
        let forms = if shape.len() == 1 { OF_ONE } else { OF_TWO };
        let bound = r.number_below(shape[shape.len() - 1] + 2);
        let (form, holds) = forms[r.number_below(forms.len())];
        Compared { text: form.replace('N', &bound.to_string()), holds, bound }
    }
    fn has(&self, at: &[usize]) -> bool {
        (self.holds)(at, self.bound)
    }
    /// A statement about the elements for which it holds alone, in one of three ways.
    fn restrict(&self, value: &str, r: &mut TestRandom) -> String {
        match r.number_below(3) {
            0 => format!("{value} where {}", self.text),
            1 => format!("where({}, {value}, 0)", self.text),
            _ => format!("{value} * ({})", self.text),
        }
    }
}

struct Case {
    text: String,
    table: Table,
    within: Option<Compared>,
    shape: Vec<usize>,
    formats: [&'static str; OPERANDS],
    result: &'static str,
    operands: Vec<Entries>,
}

const VECTORS: &[&str] = &["sv", "sv", "coo", "(i) -> (i) : bitmap", "(i) -> (i) : hashed"];
const MATRICES: &[&str] = &["csr", "csr", "dcsr", "coo"];

/// Whether a set stands beside a comparison.
#[derive(Clone, Copy, PartialEq)]
enum Beside {
    Nothing,
    Comparison,
}

fn case(table: Table, zeros: bool, beside: Beside, r: &mut TestRandom) -> Case {
    let rank = 1 + r.number_below(2);
    let shape = if rank == 1 { vec![40] } else { vec![6, 13] };
    let tree = write_set(table, &[0, 1, 2, 3], r);
    let algebra = tree.text(&|k| format!("{{{} != 0}}", PARAMS[k]));
    let inside = tree.text(&|k| format!("({} != 0)", PARAMS[k]));
    let at = if rank == 1 { "i" } else { "i,j" };
    let params = PARAMS.join(", ");
    let args = NAMES.map(|n| format!("{n}({at})")).join(", ");
    let body = format!("if {inside} {{ (x + 3 * y + 5 * z + 7 * w) | 1 }} else {{ 0 }}");
    let within = (beside == Beside::Comparison).then(|| Compared::draw(&shape, r));
    let value = format!("f({args})");
    let value = within.as_ref().map_or(value.clone(), |within| within.restrict(&value, r));
    let text = format!("def f({params}): {algebra} {{ {body} }}; R({at}) = {value}");
    let mut operands = vec![Entries::new(); OPERANDS];
    // Lists that end before others do.
    let ends: [usize; OPERANDS] =
        std::array::from_fn(|_| if r.chance(40) { r.number_below(40) } else { usize::MAX });
    for n in 0..shape.iter().product() {
        let coords = if rank == 1 { vec![n] } else { vec![n / shape[1], n % shape[1]] };
        let region = r.number_below(REGIONS);
        for (k, entries) in operands.iter_mut().enumerate() {
            if region >> k & 1 == 1 && n < ends[k] {
                let value = if zeros && r.chance(20) { 0 } else { 1 + r.number_below(9) as i64 };
                entries.insert(coords.clone(), value);
            }
        }
    }
    let all = if rank == 1 { VECTORS } else { MATRICES };
    let formats = std::array::from_fn(|_| r.pick(all));
    let result = match (rank, r.chance(50)) {
        (_, true) => "dense",
        (1, _) => "sv",
        _ => r.pick(&["csr", "dcsr"]),
    };
    Case { text, table, within, shape, formats, result, operands }
}

impl Case {
    fn coords(&self) -> Vec<Vec<usize>> {
        let all = 0..self.shape.iter().product();
        let at = |n: usize| match self.shape[..] {
            [_] => vec![n],
            _ => vec![n / self.shape[1], n % self.shape[1]],
        };
        all.map(at).collect()
    }
    /// The coordinates whose region is in the set, an operand being there where `there` says so of what it stores.
    fn set(&self, there: &dyn Fn(i64) -> bool) -> BTreeSet<Vec<usize>> {
        let region = |at: &Vec<usize>| {
            let here = |e: &Entries| usize::from(e.get(at).is_some_and(|v| there(*v)));
            self.operands.iter().enumerate().fold(0, |region, (k, e)| region | here(e) << k)
        };
        let within = |at: &Vec<usize>| self.within.as_ref().is_none_or(|within| within.has(at));
        self.coords().into_iter().filter(|at| holds(self.table, region(at)) && within(at)).collect()
    }
    fn decls(&self) -> Decls {
        let mut decls = Decls::default();
        let format = |text: &str| Some(Format::parse(text, self.shape.len()).expect("a format"));
        for (name, text) in NAMES.iter().zip(self.formats) {
            let shape = Some(self.shape.clone());
            let decl =
                Decl { dtype: Some(DType::I64), format: format(text), shape, stored: None, elements: None };
            decls.tensors.insert((*name).into(), decl);
        }
        decls.tensors.insert("R".into(), Decl { format: format(self.result), ..Decl::default() });
        decls
    }
    fn pack_operands(&self) -> Vec<Tensor> {
        let pack = |(entries, format): (&Entries, &&str)| {
            let entries = entries.iter().map(|(at, v)| (at.clone(), Scalar::I64(*v))).collect();
            let (name, shape, format) = (String::new(), self.shape.clone(), (*format).to_string());
            CaseOperand { name, dtype: DType::I64, shape, format, entries }.pack().expect("it packs")
        };
        self.operands.iter().zip(&self.formats).map(pack).collect()
    }

    /// What the trace of the graph visits.
    fn by_graph(&self, stages: &Stages) -> Vec<Vec<usize>> {
        // As lowering has it.
        let p = &find_predicates(stages.plan.program.clone());
        let mut operands: BTreeMap<TensorId, Array> = BTreeMap::new();
        for (id, t) in p.tensors.iter().filter(|(_, t)| t.kind == TensorKind::Operand) {
            // An operand that is kept in no order is sorted before it is merged.
            let sorted = stages.conversions().find(|c| c.tensor == id);
            let given = sorted.map_or(&t.given, |c| &c.source);
            let k = NAMES.iter().position(|n| n == given).expect("an operand");
            let value = |at| Scalar::I64(self.operands[k].get(&at).copied().unwrap_or(0));
            let values = self.coords().into_iter().map(value).collect();
            operands.insert(id, Array { shape: self.shape.clone(), values });
        }
        let sizes = p.indices.iter().map(|(v, i)| {
            let n = ["i", "j"].iter().position(|n| *n == i.name).expect("a variable");
            (v, self.shape[n])
        });
        let graph = Graph::build(p, &Registry::default()).expect("it has a graph");
        let visits = trace(&graph, p, &operands, &sizes.collect()).expect("nothing is counted");
        visits.into_iter().map(|(_, at)| at.into_iter().map(|n| n as usize).collect()).collect()
    }

    /// The stages, what the interpreter stores elements at, in order, and the result. Into a dense result, which has the fill value
    /// everywhere before, that is stored again where operands may store theirs: only values that differ are visits.
    fn by_interpreter(&self) -> (Stages, Vec<Vec<usize>>, Tensor) {
        let writes: Arc<Mutex<Vec<Write>>> = Arc::default();
        let backend = InterpBackend::new().with_trace(writes.clone());
        let session = Session::with_backend(BackendKind::Interp, Arc::new(backend)).with_threads(1);
        let packed = self.pack_operands();
        let operands: Vec<(&str, &Tensor)> = NAMES.into_iter().zip(&packed).collect();
        let kernel = session.compile(&self.text, &self.decls()).unwrap_or_else(|e| panic!("{self}: {e}"));
        let result = kernel.run(&operands).unwrap_or_else(|e| panic!("{self}: {e}")).tensor;
        let stages = kernel.stages().clone();
        let writes = writes.lock().expect("the kernel has run");
        let stored: Vec<&Write> = writes.iter().filter(|w| w.buffer == "R_vals").collect();
        let all = self.coords();
        if self.result == "dense" {
            let known: BTreeSet<&Vec<usize>> = self.operands.iter().flat_map(BTreeMap::keys).collect();
            let fill = |w: &&&Write| w.value == Scalar::I64(0);
            let again = stored.iter().filter(fill).find(|w| !known.contains(&all[w.at]));
            assert_eq!(again, None, "{self}: no operand stores anything there");
            let visits = stored.iter().filter(|w| !fill(w)).map(|w| all[w.at].clone());
            return (stages, visits.collect(), result);
        }
        // Elements are appended one after the other, in the order of coordinates.
        let places: Vec<usize> = stored.iter().map(|w| w.at).collect();
        assert_eq!(places, (0..result.nnz()).collect::<Vec<_>>(), "{self}: an element is stored once");
        let mut held = Vec::new();
        result.for_each(|at, _| held.push(at.to_vec()));
        (stages, held, result)
    }

    fn check(&self) {
        let (by_value, by_presence) = (self.set(&|v| v != 0), self.set(&|_| true));
        let (stages, stored, result) = self.by_interpreter();
        let once = |visits: Vec<Vec<usize>>, who: &str| {
            let set: BTreeSet<Vec<usize>> = visits.iter().cloned().collect();
            assert_eq!(set.len(), visits.len(), "{self}: {who} comes more than once: {visits:?}");
            set
        };
        // To the graph, an element that is the fill value is none.
        let (visits, why) =
            (once(self.by_graph(&stages), "the graph"), || format!("{self}: {}", stages.graph_text()));
        assert!(visits.is_superset(&by_value), "{} misses {:?}", why(), &by_value - &visits);
        assert!(visits.is_subset(&by_value), "{} also visits {:?}", why(), &visits - &by_value);
        let visits = once(stored, "the interpreter");
        let why = || format!("{self}: the interpreter\n{}", stages.loops_text());
        assert!(visits.is_superset(&by_value), "{} misses {:?}", why(), &by_value - &visits);
        let known = &by_value | &by_presence;
        assert!(visits.is_subset(&known), "{} also visits {:?}", why(), &visits - &known);
        for at in self.coords() {
            let value = |k: usize| self.operands[k].get(&at).copied().unwrap_or(0);
            let inside = |v: i64| if by_value.contains(&at) { v } else { 0 };
            let wanted = inside((value(0) + 3 * value(1) + 5 * value(2) + 7 * value(3)) | 1);
            assert_eq!(result.get(&at), Some(Scalar::I64(wanted)), "{} at {at:?}", why());
        }
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.text)?;
        for ((name, format), entries) in NAMES.iter().zip(self.formats).zip(&self.operands) {
            writeln!(f, "{name} {format} {:?} {entries:?}", self.shape)?;
        }
        writeln!(f, "R {}", self.result)
    }
}

/// The numbers of the sets that are taken.
fn set_range(all: usize) -> std::ops::Range<usize> {
    let text = std::env::var("OPENWORK_CASES").unwrap_or_default();
    let count = |text: &str| text.parse::<usize>().ok();
    match text.split_once("..") {
        Some((first, end)) => count(first).unwrap_or(0).min(all)..count(end).unwrap_or(all).min(all),
        None => 0..count(&text).unwrap_or(all / 4).min(all),
    }
}

#[test]
fn every_set_is_visited_exactly() {
    let all = classes();
    assert_eq!(all.len(), 3983);
    // Neighbours have like sets: a share is spread over all.
    let place = |n: usize| n * 1601 % all.len();
    for n in set_range(all.len()) {
        let mut r = TestRandom::new(n as u64);
        case(all[place(n)], false, Beside::Nothing, &mut r).check();
    }
}

#[test]
fn every_set_beside_a_comparison_is_visited_exactly() {
    let all = classes();
    let place = |n: usize| n * 1601 % all.len();
    for n in set_range(all.len()) {
        let mut r = TestRandom::new((1 << 33) + n as u64);
        case(all[place(n)], false, Beside::Comparison, &mut r).check();
    }
}

#[test]
fn explicit_fill_values_change_no_value() {
    let all = classes();
    let place = |n: usize| n * 1601 % all.len();
    for n in set_range(all.len()).step_by(4) {
        let mut r = TestRandom::new((1 << 32) + n as u64);
        case(all[place(n)], true, Beside::Nothing, &mut r).check();
    }
}
