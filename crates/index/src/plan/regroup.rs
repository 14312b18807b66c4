//! Regrouped statements: parts of an expression are computed by themselves, products are multiplied out, or terms are added
//! up one after the other.

use crate::check::Assignment;
use crate::expr::{IndexExpr, IndexId, fill_of};
use openwork_algebra::{Operator, Prim, Scalar};

/// The product that distributes over a sum.
pub(super) fn distributes(plus: &Operator, body: &IndexExpr) -> Option<&'static Operator> {
    let IndexExpr::Call { op, .. } = body else { return None };
    matches!((plus.prim, op.prim), (Prim::Add, Prim::Mul) | (Prim::Or, Prim::And)).then_some(*op)
}

/// The factors of a product, products in it apart.
pub(super) fn flatten(e: &IndexExpr, times: &'static Operator, out: &mut Vec<IndexExpr>) {
    match e {
        IndexExpr::Call { op, args } if *op == times => args.iter().for_each(|a| flatten(a, times, out)),
        e => out.push(e.clone()),
    }
}

struct RegroupedContraction {
    plus: &'static Operator,
    times: &'static Operator,
}

impl RegroupedContraction {
    fn product(&self, factors: &[IndexExpr]) -> IndexExpr {
        let mut all = factors.iter().cloned();
        let first = all.next().expect("a product has factors");
        all.fold(first, |a, b| IndexExpr::Call { op: self.times, args: vec![a, b] })
    }
    fn sum(&self, body: IndexExpr, vars: Vec<IndexId>) -> IndexExpr {
        if vars.is_empty() { body } else { IndexExpr::Reduce { op: self.plus, vars, body: Box::new(body) } }
    }
}

/// The same statement with the sums inside of its products added up by themselves, row by row, instead of merged at every
/// coordinate; not the statement itself. What is computed stays the same, to the bit.
///
/// ```text
/// sum(j, (A(i,j) + B(i,j)) * x(j))        t(j) = A(i,j) + B(i,j), sum(j, t(j) * x(j))
/// ```
pub fn sums_apart(a: &Assignment) -> Option<Assignment> {
    let IndexExpr::Reduce { op, vars, body } = &a.rhs else { return None };
    let times = distributes(op, body)?;
    let mut factors = Vec::new();
    flatten(body, times, &mut factors);
    let mut apart = false;
    for factor in &mut factors {
        let several = is_sum(factor, &[Prim::Add, Prim::Sub]) && count_merged(factor, a) > 1;
        if let Some(piece) = piece(factor, a).filter(|_| several) {
            (*factor, apart) = (piece, true);
        }
    }
    let body = RegroupedContraction { plus: op, times }.product(&factors);
    apart.then(|| Assignment {
        rhs: IndexExpr::Reduce { op, vars: vars.clone(), body: Box::new(body) },
        ..a.clone()
    })
}

/// The same statement with a sum inside of its products multiplied out, so that each of its sparse operands is walked alone
/// instead of merged with the others; not the statement itself. Differences stay as they are: where they cancel, what is
/// left is as exact as the operands.
///
/// ```text
/// sum(j, (A(i,j) + B(i,j)) * x(j))        sum(j, A(i,j) * x(j)) + sum(j, B(i,j) * x(j))
/// ```
pub fn multiplied_out(a: &Assignment) -> Option<Assignment> {
    let IndexExpr::Reduce { op, vars, body } = &a.rhs else { return None };
    // Where unstored zeros meet infinities as on dense arrays, each term would meet those of the others.
    let times = distributes(op, body).filter(|times| Operator::find("mul") == Some(*times))?;
    let mut factors = Vec::new();
    flatten(body, times, &mut factors);
    let several = |e: &IndexExpr| {
        matches!(e, IndexExpr::Call { op: plus, .. } if plus.prim == op.prim) && count_merged(e, a) > 1
    };
    let n = factors.iter().position(several)?;
    let IndexExpr::Call { op: plus, .. } = factors[n] else { return None };
    let mut terms = Vec::new();
    flatten(&factors[n], plus, &mut terms);
    let alone = |e: &IndexExpr| {
        count_merged(e, a) == 1
            && fill_of(e, &a.tensors).is_some_and(|fill| fill.is_same(Scalar::zero(fill.dtype())))
    };
    if !terms.iter().all(alone) {
        return None;
    }
    let c = RegroupedContraction { plus: op, times };
    let mut each = terms.into_iter().map(|term| {
        let factors: Vec<IndexExpr> =
            factors.iter().enumerate().map(|(k, e)| if k == n { term.clone() } else { e.clone() }).collect();
        c.sum(c.product(&factors), vars.clone())
    });
    let first = each.next()?;
    let rhs = each.fold(first, |sum, term| IndexExpr::Call { op: plus, args: vec![sum, term] });
    Some(Assignment { rhs, ..a.clone() })
}

/// At most so many sparse operands of a piece are told apart.
const APART: usize = 3;

/// The same statement in pieces: subexpressions of many sparse operands are merged by themselves, into workspaces, so that
/// code and time to compile grow with the number of operands and not with the number of their subsets. A piece is a
/// reduction over no variable.
///
/// ```text
/// E(i,j) = (A(i,j) + B(i,j) + C(i,j)) * (A(i,j) + D(i,j) + F(i,j))
///          t(j) = A(i,j) + B(i,j) + C(i,j), t1(j) = A(i,j) + D(i,j) + F(i,j), E(i,j) = t(j) * t1(j)
/// ```
pub fn in_pieces(a: &Assignment) -> Option<Assignment> {
    let rhs = match &a.rhs {
        IndexExpr::Reduce { op, vars, body } => {
            IndexExpr::Reduce { op, vars: vars.clone(), body: Box::new(cut((**body).clone(), a)) }
        }
        e => cut(e.clone(), a),
    };
    (rhs != a.rhs).then(|| Assignment { rhs, ..a.clone() })
}

/// How many sparse operands or pieces an expression merges.
fn count_merged(e: &IndexExpr, a: &Assignment) -> usize {
    match e {
        IndexExpr::Access(x) => usize::from(!a.tensors[x.tensor].format.is_dense()),
        IndexExpr::Reduce { .. } => 1,
        e => e.children().map(|c| count_merged(c, a)).sum(),
    }
}
/// Whether an expression combines operands by nothing but these.
fn is_sum(e: &IndexExpr, by: &[Prim]) -> bool {
    match e {
        IndexExpr::Access(_) => true,
        IndexExpr::Call { op, args } => by.contains(&op.prim) && args.iter().all(|arg| is_sum(arg, by)),
        IndexExpr::Literal(_)
        | IndexExpr::Index(_)
        | IndexExpr::Cast { .. }
        | IndexExpr::Reduce { .. }
        | IndexExpr::Map { .. }
        | IndexExpr::Beside { .. }
        | IndexExpr::Predicate { .. }
        | IndexExpr::Stored { .. }
        | IndexExpr::WithFill { .. }
        | IndexExpr::Width(_) => false,
    }
}

fn cut(e: IndexExpr, a: &Assignment) -> IndexExpr {
    let IndexExpr::Call { op, args } = e else { return e };
    let whole = IndexExpr::Call { op, args: args.clone() };
    // One loop merges a sum of operands, however many they are.
    if is_sum(&whole, &[Prim::Add]) {
        return whole;
    }
    let mut args: Vec<IndexExpr> = args.into_iter().map(|e| cut(e, a)).collect();
    loop {
        let counts: Vec<usize> = args.iter().map(|e| count_merged(e, a)).collect();
        let most = (0..args.len()).max_by_key(|&n| counts[n]);
        let Some(n) = most.filter(|&n| counts.iter().sum::<usize>() > APART && counts[n] > 1) else {
            return IndexExpr::Call { op, args };
        };
        match piece(&args[n], a) {
            Some(piece) => args[n] = piece,
            None => return IndexExpr::Call { op, args },
        }
    }
}

/// A reduction over nothing, by an operator whose identity the expression has where nothing is stored.
fn piece(e: &IndexExpr, a: &Assignment) -> Option<IndexExpr> {
    // A position has one coordinate where the statement compares it only.
    if e.free_vars().into_iter().any(|v| a.indices[v].positional) {
        return None;
    }
    let fill = fill_of(e, &a.tensors)?;
    // 1 times a complex infinity is infinity and NaN.
    let changes_nothing = |op: &Operator| !(op.prim == Prim::Mul && fill.dtype().is_complex());
    let idle = |op: &&'static Operator| {
        changes_nothing(op)
            && op.reduces(fill.dtype())
            && op.identity_at(0, fill.dtype()).is_some_and(|id| id.is_same(fill))
    };
    let op = ["add", "or", "and", "mul", "min", "max"].into_iter().filter_map(Operator::find).find(idle)?;
    Some(IndexExpr::Reduce { op, vars: Vec::new(), body: Box::new(e.clone()) })
}
