//! Facts about formats, whatever these are called: code that has a faster way for certain arrays asks for them.

use crate::format::Format;
use crate::level::{ArrayRole, Coords, Level, Props};
use crate::remap::{Coord, CoordOp, Term};

impl Format {
    /// Whether levels store the modes themselves, and every element stands for itself.
    pub fn is_plain(&self) -> bool {
        self.remap.is_none() && !self.symmetric
    }
    /// The modes of the rows and of their coordinates, where a format is compressed rows of distinct coordinates in order.
    ///
    /// ```
    /// use openwork_format::presets;
    /// assert_eq!((presets::csr().rows(), presets::csc().rows()), (Some([0, 1]), Some([1, 0])));
    /// assert_eq!(presets::dcsr().rows(), None);
    /// ```
    pub fn rows(&self) -> Option<[usize; 2]> {
        let ([rows, columns], [outer, inner]) = (&self.levels[..], &self.modes[..]) else { return None };
        (self.is_plain() && rows.is_dense() && columns.is_plain_list()).then_some([*outer, *inner])
    }
    /// Whether a format lists distinct coordinates in order, with an array for each mode, in any order of the modes.
    ///
    /// ```
    /// use openwork_format::presets;
    /// assert!(presets::coo(3).is_list() && presets::sparse_vector().is_list());
    /// assert!(!presets::csr().is_list() && !presets::dcsr().is_list());
    /// ```
    pub fn is_list(&self) -> bool {
        let Some((first, rest)) = self.levels.split_first() else { return false };
        let last = rest.len();
        let head = Level { props: first.props.union(Props::UNIQUE), ..*first };
        let apart = self.levels.iter().enumerate().all(|(k, l)| l.unique() == (k == last));
        let rest = rest
            .iter()
            .all(|l| l.is_plain_tail() && l.is_ordered() && l.compact() && !l.props.has(Props::ZEROLESS));
        self.is_plain() && head.is_plain_list() && apart && rest
    }
    /// Whether a format has runs of equal values along its last mode, and every coordinate of the others.
    ///
    /// ```
    /// use openwork_format::presets;
    /// assert!(presets::rle(2).is_in_runs() && !presets::dense(2).is_in_runs());
    /// ```
    pub fn is_in_runs(&self) -> bool {
        let Some((last, rest)) = self.levels.split_last() else { return false };
        let roles = last.spec.arrays.iter().map(|a| a.role);
        let ends = last.shares_positions() && last.spec.rising && roles.eq([ArrayRole::Pos, ArrayRole::Crd]);
        self.is_plain() && ends && rest.iter().all(|l| l.is_dense())
    }
    /// The rows and columns of a block, where a format is compressed rows of dense blocks.
    ///
    /// ```
    /// use openwork_format::presets;
    /// assert_eq!(presets::bcsr(2, 3).blocked_rows(), Some([2, 3]));
    /// assert_eq!((presets::bcsc(2, 3).blocked_rows(), presets::csr().blocked_rows()), (None, None));
    /// ```
    pub fn blocked_rows(&self) -> Option<[u64; 2]> {
        let part = |c: &Coord, wanted: CoordOp| match c.inline_locals() {
            Term::Binary(op, of, by) if op == wanted => match (*of, *by) {
                (Term::Mode(mode), Term::Const(size)) => Some((mode, u64::try_from(size).ok()?)),
                _ => None,
            },
            _ => None,
        };
        let remap = self.remap.as_deref().filter(|_| !self.symmetric)?;
        let ([above, below, i, j, rows, columns], [a, b, c, d, e, f]) = (&remap.coords[..], &self.levels[..])
        else {
            return None;
        };
        let ((0, m), (1, n)) = (part(above, CoordOp::Div)?, part(below, CoordOp::Div)?) else { return None };
        let inside = part(i, CoordOp::Rem) == Some((0, m)) && part(j, CoordOp::Rem) == Some((1, n));
        let whole = rows.plain() == Some(0) && columns.plain() == Some(1);
        let blocks = a.is_dense() && b.is_plain_list() && c.is_dense() && d.is_dense();
        let derived = [e, f].into_iter().all(|l| l.spec.coords == Coords::Derived);
        (inside && whole && blocks && derived).then_some([m, n])
    }
    /// Whether there is a value for each element and no other value.
    ///
    /// ```
    /// use openwork_format::presets;
    /// assert!(presets::csr().has_elements_only() && presets::coo(3).has_elements_only());
    /// assert!(!presets::dense(2).has_elements_only() && !presets::ell().has_elements_only());
    /// ```
    pub fn has_elements_only(&self) -> bool {
        let last = self.depth().checked_sub(1);
        let filled = last.is_some_and(|k| !self.has_empties(k));
        filled && !self.has_padding() && !self.is_full() && !self.symmetric
    }
    /// Whether coordinates are stored one by one, so that a format holds elements anywhere, and little beside them.
    ///
    /// ```
    /// use openwork_format::presets;
    /// assert!(presets::csr().holds_anywhere() && presets::coo(2).holds_anywhere());
    /// assert!(!presets::bit_vector().holds_anywhere() && !presets::dia().holds_anywhere());
    /// ```
    pub fn holds_anywhere(&self) -> bool {
        let each = |l: &Level| l.spec.any_coords && (l.is_dense() || l.lists_coords());
        self.is_plain()
            && self.levels.iter().all(each)
            && self.levels.last().is_some_and(|l| l.lists_coords())
    }
    /// Whether any part of a tensor can be stored so: not only a triangle or a band, nor intervals that may be far longer than
    /// what is in them.
    ///
    /// ```
    /// use openwork_format::presets;
    /// assert!(presets::csr().holds_parts() && presets::dia().holds_parts());
    /// assert!(!presets::band_format().holds_parts() && !presets::rle(2).holds_parts());
    /// ```
    pub fn holds_parts(&self) -> bool {
        let each = |l: &Level| {
            l.spec.any_coords && (self.remap.is_some() || l.is_dense() || l.spec.coords == Coords::Stored)
        };
        !self.symmetric && !self.is_full() && self.levels.iter().all(each)
    }
    /// Whether elements are appended row by row, without a position for every coordinate of a mode.
    ///
    /// ```
    /// use openwork_format::presets;
    /// assert!(presets::dcsr().is_appended_by_rows() && !presets::csr().is_appended_by_rows());
    /// assert!(!presets::dcsc().is_appended_by_rows());
    /// ```
    pub fn is_appended_by_rows(&self) -> bool {
        let each = |l: &Level| l.lists_coords() && l.is_ordered() && l.spec.assembly.appends;
        self.is_plain() && self.modes.is_sorted() && self.depth() > 0 && self.levels.iter().all(each)
    }
    /// Whether elements are listed in another order than row by row.
    ///
    /// ```
    /// use openwork_format::presets;
    /// assert!(presets::csc().is_scattered() && presets::hicoo(2, 4).is_scattered());
    /// assert!(!presets::csr().is_scattered() && !presets::dia().is_scattered());
    /// ```
    pub fn is_scattered(&self) -> bool {
        let listed = |l: Option<&Level>| l.is_some_and(|l| l.lists_coords());
        match self.remap {
            Some(_) => listed(self.levels.first()),
            None => {
                let by_rows = self.modes.is_sorted() && self.levels.iter().all(|l| l.is_ordered());
                listed(self.levels.last()) && !by_rows
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Format;
    use crate::presets::PRESETS;

    /// The names of the presets of which a fact holds, at some rank.
    fn preset_names(rank: usize, fact: impl Fn(&Format) -> bool) -> Vec<&'static str> {
        PRESETS.iter().filter(|p| p.format_of_rank(rank).is_some_and(|f| fact(&f))).map(|p| p.name).collect()
    }

    #[test]
    fn facts_of_the_presets() {
        assert_eq!(preset_names(2, |f| f.rows() == Some([0, 1])), ["csr"]);
        assert_eq!(preset_names(2, |f| f.rows() == Some([1, 0])), ["csc"]);
        assert_eq!(preset_names(1, Format::is_list), ["sv", "csf", "coo"]);
        assert_eq!(preset_names(2, Format::is_list), ["coo"]);
        assert_eq!(preset_names(3, Format::is_list), ["coo"]);
        assert_eq!(preset_names(2, Format::is_in_runs), ["rle"]);
        assert_eq!(preset_names(2, |f| f.blocked_rows().is_some()), ["bcsr"]);
        let elements = ["csr", "csc", "dcsr", "dcsc", "csf", "coo", "coo_aos"];
        assert_eq!(preset_names(2, Format::has_elements_only), [&elements[..], &["jad"]].concat());
        let others = ["bytemap", "bitmap", "ell", "jad", "dia", "bcsr", "bcsc", "sell", "csb", "hicoo"];
        let parts = [&elements[..], &["hash", "dok"], &others[..2], &["lil"], &others[2..]].concat();
        assert_eq!(preset_names(2, Format::holds_parts), parts);
        assert_eq!(preset_names(2, Format::is_appended_by_rows), ["dcsr", "csf", "coo"]);
        assert_eq!(preset_names(2, Format::is_scattered), ["csc", "dcsc", "hash", "dok", "hicoo"]);
        let anywhere = [&elements[..], &["hash", "dok", "lil"]].concat();
        assert_eq!(preset_names(2, Format::holds_anywhere), anywhere);
        assert_eq!(
            preset_names(3, Format::holds_anywhere),
            ["csr", "csf", "coo", "coo_aos", "hash", "dok", "lil"]
        );
    }
}
