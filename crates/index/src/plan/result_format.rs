//! The default format of a result: a function of the statement and of how its operands are stored.
//!
//! It follows from formats, fills and shapes, never from values or from how many there are, so the same statement over the
//! same formats has the same result everywhere. Four rules, in this order:
//!
//! 1. **A tensor over the result's variables that leaves out whatever the result leaves out lends its format**: `A(i,j) *
//!    x(i)`, `A(i,j) + B(i,j)`, a sampled product. A result in its own order comes first; else modes are permuted with the
//!    variables, so that the transpose of rows is stored by columns. What is not filled coordinate by coordinate lends
//!    plain rows.
//! 2. **Where sparse operands limit two or more variables in every term, the result is sparse over these**: products of
//!    sparse matrices are stored by rows, or by columns where all of them are. The outermost of these levels is dense
//!    unless an operand is hypersparse (its own outermost level lists coordinates), or the dimension is [huge](HUGE).
//!    Variables that only dense operands have are dense levels inside.
//! 3. **Runs of equal values stay runs**: where every operand over the result's variables is stored in runs, or leaves
//!    coordinates out, and others are numbers, the result changes only where a run ends or something is stored.
//! 4. **Everything else is dense**: products with dense matrices and vectors, sums over rows. A vector is sparse where
//!    sparse operands limit it and one of them is a vector, whatever dense factors and masks there are, or where it is huge.

use super::Reason;
use crate::assume::Tensors;
use crate::check::{Assignment, FormatChoice};
use crate::expr::{Access, IndexExpr, IndexId, TensorVar, fill_of};
use openwork_algebra::{Prim, Scalar};
use openwork_base::machine::threshold;
use openwork_format::specs::{COMPRESSED, DENSE};
use openwork_format::{Format, Level, Props, presets};

/// From this size on a dimension gets no position for each coordinate, which would take a gigabyte.
const HUGE: usize = 1 << 27;
/// Whether a dimension of this size gets no position for each coordinate, in what a plan makes for itself. Formats that users see
/// are the same on a tiny machine.
pub fn is_huge(size: usize) -> bool {
    size >= threshold(HUGE, 6)
}

/// Sets the result's format if the caller did not; from then on it counts as given.
pub fn choose(a: &mut Assignment, reasons: &mut Vec<Reason>) {
    if a.format_given == FormatChoice::Caller {
        return;
    }
    let chosen = lent_format(a).or_else(|| composed_format(a)).or_else(|| in_runs(a));
    let (chosen, because) = chosen.unwrap_or_else(|| {
        (presets::dense(a.lhs.vars.len()), "the value is not limited to a sparse pattern".into())
    });
    let result = &mut a.tensors[a.lhs.tensor];
    result.format = Format { fill: result.format.fill.clone(), ..chosen };
    let shape: Option<Vec<usize>> = a.lhs.vars.iter().map(|&v| a.indices[v].size).collect();
    if let Some(shape) = shape {
        result.format = result.format.resolve(&shape);
    }
    let choice = format!("`{}` is {}", result.name, Format { pos: None, crd: None, ..result.format.clone() });
    reasons.push(Reason { choice, because });
    a.format_given = FormatChoice::Caller;
}

/// Rule 1: the format of a tensor over the result's variables.
fn lent_format(a: &Assignment) -> Option<(Format, String)> {
    let vars = &a.lhs.vars;
    let lenders = limiting_accesses(&a.rhs, vars, &a.tensors);
    let same_order = lenders.iter().find(|x| x.vars == *vars);
    let lender = same_order.or_else(|| lenders.first())?;
    let TensorVar { name, format, .. } = &a.tensors[lender.tensor];
    let slots = lenders.iter().all(|x| has_marks(&a.tensors[x.tensor].format));
    if !is_filled(format) && !slots {
        let because = format!("the value is sparse like `{name}`, whose format is not filled in order");
        return Some((compressed_format(a, vars, vars, false), because));
    }
    let levels = format.levels.iter().map(drop_promises).collect();
    let mode = |m: &usize| vars.iter().position(|v| *v == lender.vars[*m]);
    let modes = format.modes.iter().map(mode).collect::<Option<Vec<usize>>>()?;
    // What has no more elements than an operand fits its widths.
    let (pos, crd) = match is_within_one(&a.rhs, &a.tensors) {
        true => (format.pos, format.crd),
        false => (None, None),
    };
    let lent = Format { fill: None, pos, crd, levels, modes, ..format.clone() };
    Some((lent, format!("the value is sparse, and `{name}` lends its format")))
}

/// Rule 3: the format of a tensor in runs over the result's variables, where others are in runs as well, or sparse.
fn in_runs(a: &Assignment) -> Option<(Format, String)> {
    let vars = &a.lhs.vars;
    let all = a.rhs.accesses();
    let over_all = |x: &&Access| x.vars.len() == vars.len() && vars.iter().all(|v| x.vars.contains(v));
    let runs = |x: &&Access| {
        let format = &a.tensors[x.tensor].format;
        in_order(format) && format.levels.iter().any(|l| l.shares_positions())
    };
    let sparse = |x: &&Access| !a.tensors[x.tensor].format.is_full();
    let number = |x: &&Access| x.vars.is_empty();
    // A value that names a coordinate is another one at each.
    let plain = !vars.is_empty() && !reduces_or_names(&a.rhs);
    if !plain || !all.iter().all(|x| number(x) || over_all(x) && (runs(x) || sparse(x))) {
        return None;
    }
    let lenders = || all.iter().filter(|x| !number(x) && runs(x));
    let lender = lenders().find(|x| x.vars == *vars).or(lenders().next())?;
    let TensorVar { name, format, .. } = &a.tensors[lender.tensor];
    let mode = |m: &usize| vars.iter().position(|v| *v == lender.vars[*m]);
    let modes = format.modes.iter().map(mode).collect::<Option<Vec<usize>>>()?;
    let lent = Format { fill: None, pos: None, crd: None, modes, ..format.clone() };
    Some((lent, format!("the value changes where `{name}` does, which is stored in runs")))
}
fn reduces_or_names(e: &IndexExpr) -> bool {
    let mut found = false;
    e.visit(&mut |e| {
        found |= matches!(e, IndexExpr::Reduce { .. } | IndexExpr::Index(_) | IndexExpr::Width(_))
    });
    found
}

/// A level without what an operand promises of its own pattern, which does not hold for the result.
fn drop_promises(l: &Level) -> Level {
    if l.is_dense() { *l } else { l.without_props(Props::FULL.union(Props::ZEROLESS)) }
}

/// Whether a result in this format is filled coordinate by coordinate.
fn is_filled(format: &Format) -> bool {
    // Runs cover every coordinate.
    in_order(format) && format.levels.iter().all(|l| l.is_ordered() && !l.shares_positions())
}

/// Whether a result that stores what an operand in this format does has the same levels by default: those of rule 1.
///
/// ```
/// use openwork_format::presets;
/// use openwork_index::plan::lends_itself;
/// assert!(lends_itself(&presets::csc()) && lends_itself(&presets::bit_vector()));
/// assert!(!lends_itself(&presets::bcsr(2, 2)));
/// ```
pub fn lends_itself(format: &Format) -> bool {
    (is_filled(format) || has_marks(format)) && format.levels.iter().all(|l| drop_promises(l) == *l)
}

/// Whether there is a slot for every coordinate, and beside it a mark that says whether it is an element.
pub fn has_marks(format: &Format) -> bool {
    let Some((last, above)) = format.levels.split_last() else { return false };
    let plain = format.remap.is_none() && !format.symmetric;
    plain && last.is_masked() && above.iter().all(|l| l.is_dense())
}

/// Whether results in this format are assembled in order, coordinate by coordinate.
pub fn in_order(format: &Format) -> bool {
    let appends = |l: &Level| l.spec.assembly.appends && !l.is_padded();
    format.remap.is_none() && !format.symmetric && format.levels.iter().all(appends)
}

/// The sparse accesses over all of `vars` of which one stores every coordinate where `e` is not its fill.
fn limiting_accesses<'e>(e: &'e IndexExpr, vars: &[IndexId], tensors: &Tensors) -> Vec<&'e Access> {
    match e {
        IndexExpr::Access(x) => {
            let permuted = x.vars.len() == vars.len() && vars.iter().all(|v| x.vars.contains(v));
            let limits = permuted && !vars.is_empty() && !tensors[x.tensor].format.is_full();
            if limits { vec![x] } else { Vec::new() }
        }
        IndexExpr::Literal(_)
        | IndexExpr::Index(_)
        | IndexExpr::Map { .. }
        | IndexExpr::Width(_)
        | IndexExpr::Predicate { .. }
        | IndexExpr::Stored { .. }
        | IndexExpr::WithFill { .. } => Vec::new(),
        IndexExpr::Cast { arg: value, .. } | IndexExpr::Beside { value, .. } => {
            limiting_accesses(value, vars, tensors)
        }
        // The sum over other variables is stored where its body is limited by the result's variables alone (SDDMM).
        IndexExpr::Reduce { body, .. } => match fill_of(e, tensors) {
            Some(_) => limiting_accesses(body, vars, tensors),
            None => Vec::new(),
        },
        IndexExpr::Call { .. } => match factors(e, tensors) {
            Factors::Any(args) => {
                args.into_iter().flat_map(|arg| limiting_accesses(arg, vars, tensors)).collect()
            }
            Factors::All(args) => {
                let each: Vec<Vec<&Access>> =
                    args.into_iter().map(|a| limiting_accesses(a, vars, tensors)).collect();
                if each.iter().any(Vec::is_empty) { Vec::new() } else { each.concat() }
            }
        },
    }
}

/// Whether a value differs from its fill only within what each of the operands stores that limit it.
fn is_within_one(e: &IndexExpr, tensors: &Tensors) -> bool {
    match e {
        IndexExpr::Access(_) => true,
        IndexExpr::Cast { arg: value, .. }
        | IndexExpr::Beside { value, .. }
        | IndexExpr::Reduce { body: value, .. } => is_within_one(value, tensors),
        IndexExpr::Call { .. } => match factors(e, tensors) {
            Factors::Any(args) => args.iter().all(|arg| is_within_one(arg, tensors)),
            Factors::All(args) => matches!(args[..], [arg] if is_within_one(arg, tensors)),
        },
        IndexExpr::Literal(_)
        | IndexExpr::Index(_)
        | IndexExpr::Map { .. }
        | IndexExpr::Width(_)
        | IndexExpr::Predicate { .. }
        | IndexExpr::Stored { .. }
        | IndexExpr::WithFill { .. } => false,
    }
}

/// The arguments of a call that tell where its value is not its fill.
enum Factors<'e> {
    /// It has its fill wherever one of these has its own: they are at the operator's annihilator there.
    Any(Vec<&'e IndexExpr>),
    /// It has its fill where all of these have their own.
    All(Vec<&'e IndexExpr>),
}

fn factors<'e>(e: &'e IndexExpr, tensors: &Tensors) -> Factors<'e> {
    let IndexExpr::Call { op, args } = e else { return Factors::All(vec![e]) };
    if let (Prim::Select, [condition, yes, no]) = (op.prim, &args[..]) {
        return choice_factors(condition, yes, no, tensors);
    }
    let annihilates = |n: usize, arg: &IndexExpr| {
        let fill = fill_of(arg, tensors);
        fill.is_some_and(|f| op.annihilator_at(n, f.dtype()).is_some_and(|a| a.is_same(f)))
    };
    let found: Vec<&IndexExpr> =
        args.iter().enumerate().filter(|(n, arg)| annihilates(*n, arg)).map(|(_, arg)| arg).collect();
    match found.is_empty() {
        true => Factors::All(args.iter().filter(|arg| !matches!(arg, IndexExpr::Literal(_))).collect()),
        false => Factors::Any(found),
    }
}

/// Those of `where(c, a, b)`: outside, the condition chooses one of both, and where that is a constant, the condition limits
/// the choice, as does the other one if it has the same value outside.
fn choice_factors<'e>(
    condition: &'e IndexExpr,
    yes: &'e IndexExpr,
    no: &'e IndexExpr,
    tensors: &Tensors,
) -> Factors<'e> {
    // Where both have one value outside, it is not told by the condition, whatever that is.
    let plain = |e: &&IndexExpr| !matches!(e, IndexExpr::Literal(_));
    let both = fill_of(yes, tensors).zip(fill_of(no, tensors));
    let literal = matches!(yes, IndexExpr::Literal(_)) || matches!(no, IndexExpr::Literal(_));
    let known = fill_of(condition, tensors).is_some();
    if both.is_some_and(|(a, b)| a.is_same(b)) && !(known && literal) {
        return Factors::All([yes, no].into_iter().filter(plain).collect());
    }
    let (chosen, other) = match fill_of(condition, tensors) {
        Some(Scalar::Bool(true)) => (yes, no),
        Some(Scalar::Bool(false)) => (no, yes),
        _ => return Factors::All(vec![condition, yes, no]),
    };
    let IndexExpr::Literal(value) = chosen else {
        let same = both.is_some_and(|(a, b)| a.is_same(b));
        return Factors::All(if same { vec![chosen] } else { vec![condition, chosen] });
    };
    let limits = fill_of(other, tensors).is_some_and(|fill| fill.is_same(*value));
    Factors::Any([condition].into_iter().chain(Some(other).filter(|_| limits)).collect())
}

/// Rule 2, and vectors of rule 3.
fn composed_format(a: &Assignment) -> Option<(Format, String)> {
    fill_of(&a.rhs, &a.tensors)?;
    let limited = limited_variables(&a.rhs, &a.tensors);
    let sparse: Vec<IndexId> = a.lhs.vars.iter().filter(|v| limited.contains(v)).copied().collect();
    let huge = sparse.iter().any(|&v| has_huge_size(a, v));
    let operands: Vec<&Access> = a.rhs.accesses();
    let because = match sparse.len() {
        0 => return None,
        1 if huge => "its dimension is too large for a slot per coordinate",
        1 if a.lhs.vars.len() == 1 && is_limited_by_vector(&a.rhs, &a.tensors) => {
            "it comes of a sparse vector"
        }
        1 => return None,
        _ => "sparse operands limit its variables in every term",
    };
    let hypersparse = operands.iter().any(|x| is_hypersparse(a, x));
    let vars = in_storage_order(a, &operands, &sparse);
    Some((compressed_format(a, &vars, &a.lhs.vars, hypersparse || sparse.len() == 1), because.into()))
}

fn has_huge_size(a: &Assignment, v: IndexId) -> bool {
    a.indices[v].size.is_some_and(|n| n >= HUGE)
}

/// Whether a tensor takes no room for empty rows, whatever a row is in it. Lists of coordinates are used for any matrix.
fn is_hypersparse(a: &Assignment, x: &Access) -> bool {
    let format = &a.tensors[x.tensor].format;
    let outer = format.levels.first().filter(|_| format.remap.is_none());
    outer.is_some_and(|l| !l.is_dense() && l.lists_coords() && (l.unique() || format.rank() > 2))
}

/// The variables that sparse operands limit wherever `e` is not its fill.
fn limited_variables(e: &IndexExpr, tensors: &Tensors) -> Vec<IndexId> {
    match e {
        IndexExpr::Access(x) => {
            let format = &tensors[x.tensor].format;
            if format.is_full() {
                return Vec::new();
            }
            if format.remap.is_some() {
                return x.vars.clone();
            }
            // Dense levels below the last list have every coordinate.
            let lists = format.levels.iter().rposition(|l| !l.is_dense()).map_or(0, |last| last + 1);
            format.modes[..lists].iter().map(|&m| x.vars[m]).collect()
        }
        IndexExpr::Literal(_)
        | IndexExpr::Index(_)
        | IndexExpr::Map { .. }
        | IndexExpr::Width(_)
        | IndexExpr::Predicate { .. }
        | IndexExpr::Stored { .. }
        | IndexExpr::WithFill { .. } => Vec::new(),
        IndexExpr::Cast { arg: value, .. } | IndexExpr::Beside { value, .. } => {
            limited_variables(value, tensors)
        }
        IndexExpr::Reduce { body, .. } => match fill_of(e, tensors) {
            Some(_) => limited_variables(body, tensors),
            None => Vec::new(),
        },
        IndexExpr::Call { .. } => match factors(e, tensors) {
            Factors::Any(args) => args.into_iter().flat_map(|arg| limited_variables(arg, tensors)).collect(),
            Factors::All(args) => {
                let mut each = args.into_iter().map(|arg| limited_variables(arg, tensors));
                let first = each.next().unwrap_or_default();
                each.fold(first, |common, more| common.into_iter().filter(|v| more.contains(v)).collect())
            }
        },
    }
}

/// Whether a sparse vector is among what leaves out elements: the value has its fill where the vector has its own.
fn is_limited_by_vector(e: &IndexExpr, tensors: &Tensors) -> bool {
    match e {
        IndexExpr::Access(x) => !tensors[x.tensor].format.is_full() && tensors[x.tensor].format.rank() == 1,
        IndexExpr::Cast { arg: value, .. } | IndexExpr::Beside { value, .. } => {
            is_limited_by_vector(value, tensors)
        }
        IndexExpr::Reduce { body, .. } => {
            fill_of(e, tensors).is_some() && is_limited_by_vector(body, tensors)
        }
        IndexExpr::Call { .. } => match factors(e, tensors) {
            Factors::Any(args) | Factors::All(args) => {
                args.into_iter().any(|arg| is_limited_by_vector(arg, tensors))
            }
        },
        IndexExpr::Literal(_)
        | IndexExpr::Index(_)
        | IndexExpr::Map { .. }
        | IndexExpr::Width(_)
        | IndexExpr::Predicate { .. }
        | IndexExpr::Stored { .. }
        | IndexExpr::WithFill { .. } => false,
    }
}

/// The variables in the order in which the result stores them: by columns where every sparse matrix is, as the first operand
/// has them where it has them all, else as they are written.
fn in_storage_order(a: &Assignment, operands: &[&Access], sparse: &[IndexId]) -> Vec<IndexId> {
    let format = |x: &&Access| &a.tensors[x.tensor].format;
    let mut stored = operands.iter().filter(|x| !format(x).is_full() && format(x).rank() > 1).peekable();
    let with_all = stored.clone().find(|x| sparse.iter().all(|v| x.vars.contains(v)));
    if let Some(x) = with_all.filter(|x| format(x).remap.is_none()) {
        let mut order: Vec<IndexId> = Vec::new();
        for &m in &format(x).modes {
            // On a diagonal a variable is there twice.
            if sparse.contains(&x.vars[m]) && !order.contains(&x.vars[m]) {
                order.push(x.vars[m]);
            }
        }
        return order;
    }
    let by_columns = |x: &&Access| format(x).remap.is_none() && format(x).modes[..] == [1, 0];
    let turned = stored.peek().is_some() && stored.all(by_columns);
    if turned { sparse.iter().rev().copied().collect() } else { sparse.to_vec() }
}

/// Compressed levels over `vars`, which have no duplicates, in this order, and dense ones inside for the rest of `all`. The
/// outermost one of a matrix is dense, unless most of its coordinates are taken to be empty.
fn compressed_format(a: &Assignment, vars: &[IndexId], all: &[IndexId], mostly_empty: bool) -> Format {
    let rest = all.iter().filter(|v| !vars.contains(v));
    let rows = !mostly_empty && vars.len() == 2 && !has_huge_size(a, vars[0]);
    let level = |k: usize| match (rows && k == 0) || k >= vars.len() {
        true => Level::new(&DENSE),
        false => Level::new(&COMPRESSED),
    };
    let order = vars.iter().chain(rest).filter_map(|v| all.iter().position(|w| w == v));
    let modes: Vec<usize> = order.collect();
    Format::new((0..modes.len()).map(level).collect()).with_modes(modes)
}

#[cfg(test)]
mod tests {
    use crate::check::check;
    use crate::{Decl, Decls, notation, plan};
    use openwork_algebra::DType;
    use openwork_base::Source;
    use openwork_format::Level;
    use openwork_format::specs::{BITMAP, DENSE, MASKED};
    use openwork_format::{Format, presets};

    /// The format that the result of a statement over 100 x 100 operands gets.
    fn chosen_format(text: &str, operands: &[(&str, Format)]) -> String {
        chosen_format_of_size(text, operands, 100)
    }
    fn chosen_format_of_size(text: &str, operands: &[(&str, Format)], n: usize) -> String {
        let mut decls = Decls::default();
        for (name, format) in operands {
            let shape = Some(vec![n; format.rank()]);
            let decl = Decl {
                dtype: Some(DType::F64),
                format: Some(format.clone()),
                shape,
                stored: None,
                elements: None,
            };
            decls.tensors.insert((*name).into(), decl);
        }
        let parsed = notation::parse(&Source::new("statement", text)).unwrap();
        let mut assignment = check(&parsed, &decls).unwrap();
        plan::result_format(&mut assignment, &mut Vec::new());
        Format { pos: None, crd: None, ..assignment.tensors[assignment.lhs.tensor].format.clone() }
            .to_string()
    }

    #[test]
    fn a_tensor_over_the_same_variables_lends_its_format() {
        let (csr, csc, coo, ell) = (presets::csr(), presets::csc(), presets::coo(2), presets::ell());
        assert_eq!(chosen_format("C(i,j) = 2 * A(i,j)", &[("A", coo.clone())]), "coo");
        assert_eq!(chosen_format("C(i,j) = A(i,j) + A(j,i)", &[("A", csr.clone())]), "csr");
        assert_eq!(chosen_format("C(i,j) = A(j,i) + A(i,j)", &[("A", csr.clone())]), "csr");
        assert_eq!(chosen_format("C(i,j) = A(j,i)", &[("A", csr.clone())]), "csc");
        assert_eq!(chosen_format("C(i,j) = A(j,i) + A(i,j)", &[("A", ell.clone())]), "csr");
        assert_eq!(
            chosen_format("C(i,j) = A(j,i) * B(i,j)", &[("A", csr.clone()), ("B", csc.clone())]),
            "csc"
        );
        assert_eq!(chosen_format("C(i,j) = A(i,j) + 1", &[("A", csr.clone())]), "csr ; fill = 1");
        let sampled = "C(i,j) = M(i,j) * D(i,k) * E(k,j)";
        let dense = presets::dense(2);
        assert_eq!(chosen_format(sampled, &[("M", coo), ("D", dense.clone()), ("E", dense)]), "coo");
    }

    #[test]
    fn slots_with_marks_stay_so_among_themselves() {
        let (bits, bytes) = (presets::bit_vector(), Format::new(vec![Level::new(&MASKED)]));
        let vectors = [("b", bits), ("m", bytes), ("s", presets::sparse_vector()), ("x", presets::dense(1))];
        for (text, format) in [
            ("y(i) = b(i) + b(i) * x(i)", "bitmap"),
            ("y(i) = 2 * m(i)", "bytemap"),
            ("y(i) = m(i) - b(i)", "bytemap"),
            ("y(i) = b(i) * s(i)", "sv"),
            ("y(i) = s(i) + b(i)", "sv"),
            ("y(i) = b(i) + x(i)", "dense"),
        ] {
            assert_eq!(chosen_format(text, &vectors), format, "{text}");
        }
        let bitmap = Format { levels: vec![Level::new(&DENSE), Level::new(&BITMAP)], ..presets::csr() };
        assert_eq!(chosen_format("C(i,j) = A(i,j) + A(j,i)", &[("A", bitmap.clone())]), "bitmap");
        let turned = "(i0,i1) -> (i1,i0) : dense, bitmap";
        assert_eq!(chosen_format("C(i,j) = A(j,i)", &[("A", bitmap.clone())]), turned);
        assert_eq!(chosen_format("C(i,j) = A(i,j) * B(i,j)", &[("A", bitmap), ("B", presets::ell())]), "csr");
    }

    #[test]
    fn products_of_sparse_operands_are_sparse() {
        let product = |a: Format, b: Format| chosen_format("C(i,k) = A(i,j) * B(j,k)", &[("A", a), ("B", b)]);
        let (csr, csc, coo, ell) = (presets::csr(), presets::csc(), presets::coo(2), presets::ell());
        assert_eq!(product(csr.clone(), csr.clone()), "csr");
        assert_eq!(product(csc.clone(), csc.clone()), "csc");
        assert_eq!(product(csr.clone(), csc.clone()), "csr");
        assert_eq!(product(coo.clone(), ell), "csr");
        assert_eq!(product(presets::dcsr(), csr.clone()), "dcsr");
        assert_eq!(product(csr.clone(), presets::dense(2)), "dense");
        let huge = |text: &str| {
            chosen_format_of_size(text, &[("A", presets::coo(2)), ("x", presets::dense(1))], 1 << 31)
        };
        assert_eq!(huge("C(i,k) = A(i,j) * A(j,k)"), "dcsr");
        assert_eq!(huge("y(i) = A(i,j)"), "sv");
        assert_eq!(huge("y(i) = 1 + x(i)"), "dense");
    }

    #[test]
    fn tensors_lose_modes_and_stay_sparse() {
        let csf = presets::csf(3);
        let (vector, matrix) = (presets::dense(1), presets::dense(2));
        let with = |text: &str| {
            chosen_format(text, &[("T", csf.clone()), ("v", vector.clone()), ("U", matrix.clone())])
        };
        assert_eq!(with("C(i,j) = T(i,j,k) * v(k)"), "dcsr");
        assert_eq!(
            with("C(i,k,j) = T(i,j,k)"),
            "(i0,i1,i2) -> (i0,i2,i1) : compressed, compressed, compressed"
        );
        assert_eq!(
            with("C(i,j,r) = T(i,j,k) * U(k,r)"),
            "(i0,i1,i2) -> (i0,i1,i2) : compressed, compressed, dense"
        );
        assert_eq!(with("A(i,r) = T(i,k,l) * U(l,r) * U(k,r)"), "dense");
        assert_eq!(with("y(i) = T(i,j,k)"), "dense");
    }

    #[test]
    fn vectors_are_sparse_where_they_come_of_sparse_ones() {
        let (csr, sparse, dense) = (presets::csr(), presets::sparse_vector(), presets::dense(1));
        let with = |text: &str| {
            chosen_format(text, &[("A", csr.clone()), ("s", sparse.clone()), ("x", dense.clone())])
        };
        assert_eq!(with("y(i) = A(i,j) * x(j)"), "dense");
        assert_eq!(with("y(i) = A(i,j) * s(j)"), "sv");
        assert_eq!(with("y(i) = A(i,j)"), "dense");
        assert_eq!(with("y(i) = A(i,j) * s(j) + x(i)"), "dense");
        assert_eq!(with("y(i) = A(i,j) * s(j) * x(i)"), "sv");
        assert_eq!(with("y(i) = A(i,j) * s(j) * x(j) where !x(i)"), "sv");
        assert_eq!(with("y(i) = A(i,j) * x(j) where !s(i)"), "dense");
        assert_eq!(with("y(i,j) = s(i) * s(j)"), "dcsr");
        assert_eq!(with("y(i,j) = s(i) * x(j)"), "dense");
    }
}
