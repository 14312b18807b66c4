//! Sizes of index variables.

use super::{Checker, DIMENSION, NO_SIZE};
use crate::expr::{IndexExpr, IndexId};
use openwork_base::{Error, Result, Span};

impl Checker<'_> {
    /// Records that `v` ranges over `size` values, or reports that it already ranges over another number.
    pub(crate) fn size_index(&mut self, v: IndexId, size: usize, span: Span, what: &str) -> Result<()> {
        let index = &mut self.indices[v];
        match index.size {
            None => {
                index.size = Some(size);
                self.sized_by.insert(v, span);
                Ok(())
            }
            Some(known) if known == size => Ok(()),
            Some(known) => {
                let name = index.name.clone();
                let message = format!("`{name}` ranges over {known} values, but {what} has {size}");
                let mut d = self.reject(DIMENSION, message, span);
                d.label = format!("size {size}");
                if let Some(&first) = self.sized_by.get(&v) {
                    d = d.note(first, format!("size {known}"));
                }
                Err(Error::rejection(d.help("use different index variables, or operands of matching shapes")))
            }
        }
    }

    /// Every variable must get its size from an operand or from a given dimension.
    pub(crate) fn every_index_has_a_size(&self, rhs: &IndexExpr) -> Result<()> {
        let mut on_operand: Vec<IndexId> = Vec::new();
        for access in rhs.accesses() {
            on_operand.extend(&access.vars);
        }
        for (v, index) in self.indices.iter() {
            if index.size.is_none() && !on_operand.contains(&v) {
                let message = format!("nothing fixes the size of `{}`", index.name);
                let d = self.reject(NO_SIZE, message, index.span);
                return Err(Error::rejection(d.help(format!("give `{}` a size", index.name))));
            }
        }
        Ok(())
    }
}
