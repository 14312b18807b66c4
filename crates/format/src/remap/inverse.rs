//! The inverse of a remapping: modes as linear functions of stored coordinates.
//!
//! A mode can be recovered where it is stored as it is, where its quotient and its remainder by one constant are stored
//! (`i/3` and `i%3`: blocks), and where a sum or difference with modes that are known is stored (`j-i`: diagonals). A
//! remapping that lets every mode be recovered is injective.

use super::{CoordOp, Remap, Term};

/// `constant + sum of factor * stored coordinate`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Linear {
    /// Factor and number of each stored coordinate.
    pub terms: Vec<(i64, usize)>,
    /// The constant.
    pub constant: i64,
}

impl Linear {
    /// One stored coordinate.
    pub fn coord(k: usize) -> Linear {
        Linear { terms: vec![(1, k)], constant: 0 }
    }
    /// `self + factor * other`, unless it does not fit.
    fn plus(mut self, factor: i64, other: &Linear) -> Option<Linear> {
        self.constant = self.constant.checked_add(factor.checked_mul(other.constant)?)?;
        for &(f, k) in &other.terms {
            let f = factor.checked_mul(f)?;
            match self.terms.iter_mut().find(|(_, known)| *known == k) {
                Some((old, _)) => *old = old.checked_add(f)?,
                None => self.terms.push((f, k)),
            }
        }
        self.terms.retain(|(f, _)| *f != 0);
        Some(self)
    }
    /// The value at given stored coordinates.
    pub fn value_at(&self, coords: &[i64]) -> i64 {
        self.terms.iter().fold(self.constant, |sum, &(f, k)| sum + f * coords[k])
    }
}

/// An earlier stored coordinate that leaves an interval to a mode: `stored = own * mode + other * w + constant`, where
/// `w` is a mode that is not known yet, and both factors are 1 or -1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// The stored coordinate.
    pub stored: usize,
    /// The factor of the mode.
    pub own: i64,
    /// The factor of the other mode.
    pub other: i64,
    /// The constant.
    pub constant: i64,
    /// The other mode.
    pub with: usize,
}

/// A linear form over modes.
struct LinearForm {
    terms: Vec<(i64, usize)>,
    constant: i64,
}

fn form(t: &Term) -> Option<LinearForm> {
    Some(match t {
        Term::Const(c) => LinearForm { terms: Vec::new(), constant: *c },
        Term::Mode(m) => LinearForm { terms: vec![(1, *m)], constant: 0 },
        Term::Local(_) | Term::Counter(_) => return None,
        Term::Binary(op @ (CoordOp::Add | CoordOp::Sub), a, b) => {
            let sign: i64 = if *op == CoordOp::Add { 1 } else { -1 };
            let (mut sum, b) = (form(a)?, form(b)?);
            sum.constant = sum.constant.checked_add(sign.checked_mul(b.constant)?)?;
            for (f, m) in b.terms {
                let f = f.checked_mul(sign)?;
                match sum.terms.iter_mut().find(|(_, known)| *known == m) {
                    Some((old, _)) => *old = old.checked_add(f)?,
                    None => sum.terms.push((f, m)),
                }
            }
            sum.terms.retain(|(f, _)| *f != 0);
            sum
        }
        Term::Binary(CoordOp::Mul, a, b) => match (&**a, &**b) {
            (Term::Const(c), x) | (x, Term::Const(c)) => {
                let x = form(x)?;
                let scaled = |(f, m): (i64, usize)| Some((c.checked_mul(f)?, m));
                let terms = x.terms.into_iter().map(scaled).collect::<Option<_>>()?;
                LinearForm { terms, constant: c.checked_mul(x.constant)? }
            }
            _ => return None,
        },
        Term::Binary(..) => return None,
    })
}

/// `m / c` or `m % c` with `m` a mode; shifts and masks by powers of two count.
fn part(t: &Term) -> Option<(CoordOp, usize, i64)> {
    let Term::Binary(op, a, b) = t else { return None };
    let (Term::Mode(m), Term::Const(c)) = (&**a, &**b) else { return None };
    match op {
        CoordOp::Div | CoordOp::Rem => Some((*op, *m, *c)),
        CoordOp::Shr if (0..62).contains(c) => Some((CoordOp::Div, *m, 1 << c)),
        CoordOp::And if *c >= 0 && (*c + 1).count_ones() == 1 => Some((CoordOp::Rem, *m, c + 1)),
        _ => None,
    }
}

impl Remap {
    /// Mode `mode` from the stored coordinates before number `before`, if they determine it.
    pub fn recover(&self, mode: usize, before: usize) -> Option<Linear> {
        self.recover_from(mode, &|k| k < before)
    }
    /// Mode `mode` from the stored coordinates that are `given`, if they determine it.
    pub fn recover_from(&self, mode: usize, given: &dyn Fn(usize) -> bool) -> Option<Linear> {
        let inlined: Vec<Term> = self.coords.iter().map(super::Coord::inline_locals).collect();
        let mut known: Vec<Option<Linear>> = vec![None; self.rank()];
        loop {
            let mut learned = false;
            for (k, term) in inlined.iter().enumerate().filter(|(k, _)| given(*k)) {
                if let Some((m, found)) = solve(k, term, &inlined, &known, given)
                    && known[m].is_none()
                {
                    known[m] = Some(found);
                    learned = true;
                }
            }
            if known[mode].is_some() || !learned {
                return known[mode].take();
            }
        }
    }
    /// The stored coordinate that is the quotient of the mode by the constant of which coordinate `k` is the remainder,
    /// with the mode and the constant.
    pub fn quotient_of(&self, k: usize) -> Option<(usize, usize, i64)> {
        let (CoordOp::Rem, mode, c) = part(&self.coords[k].inline_locals())? else { return None };
        let n = self.coords.iter().position(|q| part(&q.inline_locals()) == Some((CoordOp::Div, mode, c)))?;
        Some((n, mode, c))
    }
    /// The interval that earlier stored coordinates leave to coordinate `k`, which repeats a mode.
    pub fn band(&self, k: usize) -> Option<Band> {
        let mode = self.coords[k].plain()?;
        (0..k).rev().find_map(|stored| {
            let form = form(&self.coords[stored].inline_locals())?;
            let [a, b] = form.terms[..] else { return None };
            let ((own, _), (other, with)) = if a.1 == mode { (a, b) } else { (b, a) };
            let unit = own.abs() == 1 && other.abs() == 1 && (a.1 == mode || b.1 == mode);
            (unit && self.recover(with, k).is_none()).then_some(Band {
                stored,
                own,
                other,
                constant: form.constant,
                with,
            })
        })
    }
    /// The modes that the stored coordinates do not determine; the remapping is injective if there are none.
    pub fn lost_modes(&self) -> Vec<usize> {
        (0..self.rank()).filter(|&m| self.recover(m, self.depth()).is_none()).collect()
    }
    /// Whether a counter among the stored coordinates before number `before` keeps elements apart that share the others.
    pub fn counts_apart(&self, before: usize) -> bool {
        self.coords[..before].iter().any(|c| match c.inline_locals() {
            Term::Counter(modes) => modes.iter().all(|&m| self.recover(m, before).is_some()),
            Term::Const(_) | Term::Mode(_) | Term::Local(_) | Term::Binary(..) => false,
        })
    }
    /// A mode that is stored as it is by more than one coordinate, if there is one: of two levels that store the same
    /// coordinate, the lower one holds nothing.
    pub fn repeated_mode(&self) -> Option<usize> {
        (0..self.rank()).find(|&m| self.coords.iter().filter(|c| c.plain() == Some(m)).count() > 1)
    }
}

/// What stored coordinate `k` says about a mode that is not known yet.
fn solve(
    k: usize,
    term: &Term,
    all: &[Term],
    known: &[Option<Linear>],
    given: &dyn Fn(usize) -> bool,
) -> Option<(usize, Linear)> {
    if let Some((CoordOp::Div, m, c)) = part(term) {
        let rest = (0..all.len()).find(|&r| given(r) && part(&all[r]) == Some((CoordOp::Rem, m, c)))?;
        return Some((m, Linear::coord(rest).plus(c, &Linear::coord(k))?));
    }
    let form = form(term)?;
    let unknown: Vec<(i64, usize)> =
        form.terms.iter().copied().filter(|(_, m)| known[*m].is_none()).collect();
    let [(factor @ (1 | -1), m)] = unknown[..] else { return None };
    // stored = factor * m + rest, so m = factor * (stored - rest).
    let constant = form.constant.checked_mul(-factor)?;
    let mut found = Linear { constant, terms: Vec::new() }.plus(factor, &Linear::coord(k))?;
    for (f, other) in form.terms.iter().filter(|(_, o)| *o != m) {
        found = found.plus(f.checked_mul(-factor)?, known[*other].as_ref()?)?;
    }
    Some((m, found))
}
