//! A remapping applied to many elements at once, one operation after the other instead of one element after the other.

use super::{CoordOp, Remap, Term};
use std::borrow::Cow;

/// The values of a term for every element.
enum TermColumn<'a> {
    /// All the same.
    Const(i64),
    /// One each.
    Each(Cow<'a, [i64]>),
}

impl Remap {
    /// The stored coordinates of `len` elements, whose coordinate in mode `m` are `at[m]`: one column per level. `None`
    /// for a remapping that [counts](Remap::counts): its coordinates depend on the elements before.
    ///
    /// ```
    /// use openwork_base::Source;
    /// use openwork_format::Remap;
    /// let blocks = Remap::parse(&Source::new("remap", "(i,j) -> (i/2, j/3, i%2, j%3)")).unwrap();
    /// let columns = blocks.columns(&[&[0, 1, 5], &[4, 2, 9]], 3).unwrap();
    /// assert_eq!(columns, [[0, 0, 2], [1, 0, 3], [0, 1, 1], [1, 2, 0]]);
    /// ```
    pub fn columns(&self, at: &[&[i64]], len: usize) -> Option<Vec<Vec<i64>>> {
        let mut out = Vec::with_capacity(self.depth());
        for coord in &self.coords {
            let mut locals: Vec<Vec<i64>> = Vec::new();
            for (_, term) in &coord.lets {
                let local = values(column(term, at, &locals)?, len);
                locals.push(local);
            }
            out.push(values(column(&coord.value, at, &locals)?, len));
        }
        Some(out)
    }
}

fn values(column: TermColumn, len: usize) -> Vec<i64> {
    match column {
        TermColumn::Const(c) => vec![c; len],
        TermColumn::Each(each) => each.into_owned(),
    }
}

fn column<'a>(t: &Term, at: &[&'a [i64]], locals: &'a [Vec<i64>]) -> Option<TermColumn<'a>> {
    Some(match t {
        Term::Const(c) => TermColumn::Const(*c),
        Term::Mode(m) => TermColumn::Each(Cow::Borrowed(at[*m])),
        Term::Local(n) => TermColumn::Each(Cow::Borrowed(&locals[*n])),
        Term::Counter(_) => return None,
        Term::Binary(op, a, b) => match (column(a, at, locals)?, column(b, at, locals)?) {
            (TermColumn::Const(a), TermColumn::Const(b)) => TermColumn::Const(op.apply(a, b)),
            (TermColumn::Each(a), TermColumn::Const(b)) => TermColumn::Each(with_constant(*op, a, b).into()),
            (TermColumn::Const(a), TermColumn::Each(b)) => map_column(b, |b| op.apply(a, b)),
            (TermColumn::Each(a), TermColumn::Each(b)) => {
                TermColumn::Each(a.iter().zip(b.iter()).map(|(&a, &b)| op.apply(a, b)).collect())
            }
        },
    })
}

fn map_column<'a>(column: Cow<[i64]>, f: impl Fn(i64) -> i64) -> TermColumn<'a> {
    TermColumn::Each(column.iter().map(|&x| f(x)).collect())
}

/// The operation is chosen once for all elements, so that the loop over them has one instruction or two.
fn with_constant(op: CoordOp, a: Cow<[i64]>, b: i64) -> Vec<i64> {
    let each = |f: &dyn Fn(&[i64]) -> Vec<i64>| f(&a);
    match op {
        CoordOp::And => each(&|a| a.iter().map(|x| x & b).collect()),
        CoordOp::Shl => each(&|a| a.iter().map(|x| x.wrapping_shl(b as u32)).collect()),
        CoordOp::Shr => each(&|a| a.iter().map(|x| x.wrapping_shr(b as u32)).collect()),
        CoordOp::Add => each(&|a| a.iter().map(|x| x.wrapping_add(b)).collect()),
        CoordOp::Sub => each(&|a| a.iter().map(|x| x.wrapping_sub(b)).collect()),
        CoordOp::Mul => each(&|a| a.iter().map(|x| x.wrapping_mul(b)).collect()),
        CoordOp::Div | CoordOp::Rem if (2..1 << 32).contains(&b) => each(&|a| {
            // For numbers of 32 bits, this reciprocal gives the exact quotient in the upper half of the product.
            let reciprocal = u64::MAX / b as u64 + 1;
            let quotient = |x: i64| ((u128::from(reciprocal) * x as u128) >> 64) as i64;
            let short = |x: i64| (x as u64) < 1 << 32;
            match op {
                CoordOp::Div => {
                    a.iter().map(|&x| if short(x) { quotient(x) } else { op.apply(x, b) }).collect()
                }
                _ => a.iter().map(|&x| if short(x) { x - quotient(x) * b } else { op.apply(x, b) }).collect(),
            }
        }),
        CoordOp::Or | CoordOp::Xor | CoordOp::Div | CoordOp::Rem => {
            each(&|a| a.iter().map(|&x| op.apply(x, b)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Evaluator;
    use super::*;
    use openwork_base::Source;

    #[test]
    fn columns_are_what_the_evaluator_gives_element_by_element() {
        let big = (1i64 << 32) - 1;
        let rows = [0, 1, 2, 6, 7, 1023, big, big + 1, 1 << 40, i64::from(i32::MAX)];
        let cols = [5, 0, 9, 3, 7, 1, 2, big, 12, 1 << 33];
        for text in [
            "(i,j) -> (i/3, j/7, i%3, j%7, i, j)",
            "(i,j) -> (j-i, i, j)",
            "(i,j) -> (i/4294967295, j%4294967295, i, j)",
            "(i,j) -> (r=i/2 in s=j/2 in (r&1)|((s&1)<<1), i/1, 5-i, 3, i, j)",
            "(i,j) -> (i^j, i*j, i+1, j>>1, i, j)",
        ] {
            let Ok(remap) = Remap::parse(&Source::new("remap", text)) else { panic!("{text}") };
            let columns = remap.columns(&[&rows, &cols], rows.len()).unwrap();
            let mut one = Evaluator::new(&remap);
            let mut out = Vec::new();
            for (e, (&i, &j)) in rows.iter().zip(&cols).enumerate() {
                one.next(&[i, j], &mut out);
                assert_eq!(columns.iter().map(|c| c[e]).collect::<Vec<_>>(), out, "{text} at {i},{j}");
            }
        }
        let ell = Remap::parse(&Source::new("remap", "(i,j) -> (#i, i, j)")).unwrap();
        assert_eq!(ell.columns(&[&[1], &[1]], 1), None);
    }
}
