//! Fresh names, which nothing in a kernel has.

use crate::nodes::{Buf, BufId, Var, VarId};
use crate::text::is_name;
use openwork_base::Arena;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// The names of a kernel, gathered as it grows: variables and buffers are added but neither removed nor renamed.
///
/// This is memory of what the kernel says anyway, so it is nothing that two kernels could differ in, and a copy starts
/// without it.
#[derive(Default)]
pub(crate) struct KernelNames {
    taken: HashSet<String>,
    /// The first number that may be free after a hint; all below are taken.
    next: HashMap<String, usize>,
    /// How many variables and buffers `taken` covers.
    vars: usize,
    bufs: usize,
}

impl KernelNames {
    /// `hint`, or the first of `hint_2`, `hint_3`, … that is a name and not taken.
    pub(crate) fn give(
        &mut self,
        hint: String,
        vars: &Arena<VarId, Var>,
        bufs: &Arena<BufId, Buf>,
    ) -> String {
        self.gather(vars, bufs);
        if is_name(&hint) && !self.taken.contains(&hint) {
            return hint;
        }
        let mut n = self.next.get(&hint).copied().unwrap_or(1);
        let name = loop {
            let name = if n == 1 { hint.clone() } else { format!("{hint}_{n}") };
            if is_name(&name) && !self.taken.contains(&name) {
                break name;
            }
            n += 1;
        };
        self.next.insert(hint, n);
        name
    }
    /// Takes in what was added since.
    fn gather(&mut self, vars: &Arena<VarId, Var>, bufs: &Arena<BufId, Buf>) {
        if vars.len() < self.vars || bufs.len() < self.bufs {
            *self = KernelNames::default();
        }
        let (new_vars, new_bufs) = (vars.ids().skip(self.vars), bufs.ids().skip(self.bufs));
        self.taken.extend(new_vars.map(|v| vars[v].name.clone()));
        self.taken.extend(new_bufs.map(|b| bufs[b].name.clone()));
        (self.vars, self.bufs) = (vars.len(), bufs.len());
    }
}

impl Clone for KernelNames {
    fn clone(&self) -> KernelNames {
        KernelNames::default()
    }
}
impl PartialEq for KernelNames {
    fn eq(&self, _: &KernelNames) -> bool {
        true
    }
}
impl fmt::Debug for KernelNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Names")
    }
}
