//! A whole translation unit.

use crate::spell::{CNames, c_type};
use openwork_algebra::{DType, Prim};
use openwork_base::{Error, Id, Result};
use openwork_loops::{
    BufId, BufRole, Expr, LoopKernel, Stmt, VarId, assigned_value, each_part, each_stmt, exprs, index_exprs,
    mentions_buffer, read_place, set_var,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// C text and the function in it.
pub(crate) struct CUnit {
    pub(crate) text: String,
    pub(crate) function: String,
}

/// Names and definitions of helper functions.
type Helpers = Vec<(String, String)>;

/// The state of one printing.
pub(crate) struct CPrinter<'k> {
    pub(crate) k: &'k LoopKernel,
    pub(crate) out: String,
    pub(crate) indent: usize,
    pub(crate) names: CNames,
    vars: Vec<String>,
    bufs: Vec<String>,
    /// Variables that some statement sets again.
    pub(crate) changing: HashSet<VarId>,
    /// Buffers that some statement grows.
    growing: HashSet<BufId>,
    /// Buffers that grow once, at the outermost level and before anything else touches them: their pointer is declared
    /// there, and nothing else points to the same memory from then on.
    pub(crate) opened_once: HashSet<BufId>,
    /// Variables declared in the blocks around the current statement.
    pub(crate) alive: Vec<VarId>,
    /// Bytes of a lane of the mask in each variable that is a vector of bools.
    pub(crate) masks: HashMap<VarId, usize>,
    /// Variables that say where in memory something is, or how much there is: what is computed of them stays in range.
    pub(crate) indices: HashSet<VarId>,
    /// Whether what is printed says so.
    pub(crate) in_index: bool,
    used_vars: HashSet<VarId>,
    used_bufs: HashSet<BufId>,
    /// Helper functions by name, each after those that it needs.
    helpers: Helpers,
}

const CONVENTION: &str = "\
typedef struct {
    void *ptr;
    uint64_t cap, len;
} openwork_buf;

typedef struct openwork_call {
    openwork_buf *bufs;
    const int64_t *params;
    int32_t (*grow)(struct openwork_call *call, uint64_t buf, uint64_t cap);
    void *host;
    const volatile bool *stop;
} openwork_call;
";

/// Kernels as functions of a file that has other code as well.
pub(crate) struct FileFunctions {
    /// Types and functions that they need.
    pub(crate) opening: String,
    /// The functions; nobody outside of the file sees them.
    pub(crate) code: String,
    /// Their names.
    pub(crate) names: Vec<String>,
}

/// Prints kernels as functions with these names.
pub(crate) fn print_named(kernels: &[(&str, &LoopKernel)]) -> Result<FileFunctions> {
    let (mut helpers, mut code, mut names) = (Helpers::new(), String::new(), Vec::new());
    for (name, k) in kernels {
        let mut named = (*k).clone();
        named.name = (*name).to_string();
        let (function, text, needed) = print_function(&named)?;
        code.push_str(&format!("static {text}\n"));
        names.push(function);
        merge(&mut helpers, needed);
    }
    // The header has the types of complex numbers that its functions take, under names that nobody else has; totals of sums may
    // have another.
    for (name, text) in &mut helpers {
        if let Some(elem) = [DType::C64, DType::C128].into_iter().find(|elem| c_type(*elem) == name) {
            *text =
                format!("{}\ntypedef openwork_{name} {name};\n", crate::program::types(&[elem]).trim_start());
        }
    }
    let definitions: Vec<String> = helpers.iter().map(|(_, text)| format!("\n{text}")).collect();
    Ok(FileFunctions { opening: format!("{CONVENTION}{}", definitions.concat()), code, names })
}

/// Adds the helpers that are not there yet.
fn merge(helpers: &mut Helpers, needed: Helpers) {
    for helper in needed {
        if !helpers.iter().any(|(name, _)| *name == helper.0) {
            helpers.push(helper);
        }
    }
}

/// Prints a kernel.
pub(crate) fn print(k: &LoopKernel) -> Result<CUnit> {
    let (function, code, helpers) = print_function(k)?;
    let text = format!("// Kernel {}, made by Openwork.\n{}{code}", one_line(&k.name), opening(&helpers));
    Ok(CUnit { text, function })
}

/// Prints many kernels as one unit; their functions are called `NAME_0`, `NAME_1`, ….
pub(crate) fn print_all(kernels: &[&LoopKernel]) -> Result<(String, Vec<String>)> {
    let mut helpers = Helpers::new();
    let (mut code, mut functions) = (String::new(), Vec::new());
    for (n, k) in kernels.iter().enumerate() {
        let mut named = (*k).clone();
        named.name = format!("{}_{n}", k.name);
        let (function, text, needed) = print_function(&named)?;
        code.push_str(&text);
        functions.push(function);
        merge(&mut helpers, needed);
    }
    Ok((format!("{}{code}", opening(&helpers)), functions))
}

fn opening(helpers: &Helpers) -> String {
    let definitions: Vec<String> = helpers.iter().map(|(_, text)| format!("\n{text}")).collect();
    format!("#include <stdbool.h>\n#include <stdint.h>\n\n{CONVENTION}{}\n", definitions.concat())
}

/// The function's name, its text, and the helpers that it needs.
fn print_function(k: &LoopKernel) -> Result<(String, String, Helpers)> {
    let mut names = CNames::default();
    let function = names.give(&k.name);
    let vars = k.vars.iter().map(|(_, v)| names.give(&v.name)).collect();
    let bufs = k.bufs.iter().map(|(_, b)| names.give(&b.name)).collect();
    let mut p = CPrinter {
        k,
        out: String::new(),
        indent: 1,
        names,
        vars,
        bufs,
        changing: HashSet::new(),
        growing: HashSet::new(),
        opened_once: opened_once(k),
        alive: k.params.clone(),
        masks: HashMap::new(),
        indices: indices(k),
        in_index: false,
        used_vars: HashSet::new(),
        used_bufs: HashSet::new(),
        helpers: Vec::new(),
    };
    p.survey(&k.body);
    p.statements(&k.body)?;
    let head = p.head();
    let text = format!("int32_t {function}(openwork_call *call)\n{{\n{head}{}    return 0;\n}}\n", p.out);
    Ok((function, text, p.helpers))
}

/// The buffers whose only `reserve` is a statement of the kernel's own body that comes before every other use.
fn opened_once(k: &LoopKernel) -> HashSet<BufId> {
    let mut reserves: HashMap<BufId, usize> = HashMap::new();
    each_stmt(&k.body, &mut |s| {
        if let Stmt::Reserve { buf, .. } = s {
            *reserves.entry(*buf).or_default() += 1;
        }
    });
    let first_use = |n: usize, buf: BufId| !k.body[..n].iter().any(|s| mentions_buffer(s, buf));
    let mut opened = HashSet::new();
    for (n, s) in k.body.iter().enumerate() {
        if let Stmt::Reserve { buf, .. } = s
            && reserves.get(buf) == Some(&1)
            && first_use(n, *buf)
        {
            opened.insert(*buf);
        }
    }
    opened
}

/// The variables of which places in memory, bounds and lengths are made by sums and products.
fn indices(k: &LoopKernel) -> HashSet<VarId> {
    fn made_of(e: &Expr, out: &mut HashSet<VarId>) {
        match e {
            Expr::Var(v) => {
                out.insert(*v);
            }
            Expr::Call { prim: Prim::Add | Prim::Sub | Prim::Mul | Prim::Min | Prim::Max, args } => {
                args.iter().for_each(|a| made_of(a, out));
            }
            Expr::Call { prim: Prim::Select, args } => args[1..].iter().for_each(|a| made_of(a, out)),
            // Others are values, or indices of their own.
            _ => {}
        }
    }
    let mut out: HashSet<VarId> = k.params.iter().copied().collect();
    let mut values: HashMap<VarId, Vec<&Expr>> = HashMap::new();
    each_stmt(&k.body, &mut |s| {
        for e in exprs(s) {
            each_part(e, &mut |part| {
                if let Some((_, at)) = read_place(part) {
                    made_of(at, &mut out);
                }
            });
        }
        if let Stmt::For { var, .. } = s {
            out.insert(*var);
        }
        index_exprs(s).into_iter().for_each(|e| made_of(e, &mut out));
        if let Some((var, val)) = assigned_value(s) {
            values.entry(var).or_default().push(val);
        }
    });
    // What these are made of are such variables as well.
    let mut new: Vec<VarId> = out.iter().copied().collect();
    while let Some(v) = new.pop() {
        let mut more = HashSet::new();
        values.get(&v).into_iter().flatten().for_each(|e| made_of(e, &mut more));
        new.extend(more.into_iter().filter(|v| out.insert(*v)));
    }
    out
}

/// Text that stays inside a `//` comment.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ").trim_end_matches('\\').to_string()
}

impl CPrinter<'_> {
    /// Finds out which variables change and which buffers grow.
    fn survey(&mut self, stmts: &[Stmt]) {
        each_stmt(stmts, &mut |s| {
            self.changing.extend(set_var(s));
            if let Stmt::Reserve { buf, .. } = s {
                self.growing.insert(*buf);
            }
        });
    }
    /// Parameters and buffers, unpacked at the top.
    fn head(&self) -> String {
        let mut text = String::new();
        for (n, var) in self.k.params.iter().enumerate().filter(|(_, v)| self.used_vars.contains(v)) {
            let keep = if self.changing.contains(var) { "" } else { "const " };
            let _ = writeln!(text, "    {keep}int64_t {} = call->params[{n}];", self.vars[var.index()]);
        }
        let declared_here = |id: &BufId| self.used_bufs.contains(id) && !self.opened_once.contains(id);
        for (id, buf) in self.k.bufs.iter().filter(|(id, _)| declared_here(id)) {
            let keep = if buf.role == BufRole::In { "const " } else { "" };
            // The host reads a buffer while it grows it, which `restrict` would forbid.
            let alone = if self.growing.contains(&id) { "" } else { "restrict " };
            let (ty, name, n) = (c_type(buf.elem), &self.bufs[id.index()], id.index());
            let _ = writeln!(text, "    {keep}{ty} *{alone}{name} = call->bufs[{n}].ptr;");
        }
        let regrown = |id: &BufId| self.growing.contains(id) && !self.opened_once.contains(id);
        for (id, _) in self.k.bufs.iter().filter(|(id, _)| regrown(id)) {
            let name = &self.bufs[id.index()];
            let _ = writeln!(text, "    uint64_t {name}_cap = call->bufs[{}].cap;", id.index());
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }
    /// An internal error.
    pub(crate) fn bug<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(Error::bug(crate::STEP, what, format!("kernel {}", self.k.name)))
    }
    /// The name of a variable, which is used from now on.
    pub(crate) fn var(&mut self, v: VarId) -> String {
        self.used_vars.insert(v);
        self.vars[v.index()].clone()
    }
    /// The name of a buffer, which is used from now on.
    pub(crate) fn buf(&mut self, b: BufId) -> Result<String> {
        if self.k.bufs.get(b).is_none() {
            return self.bug(format!("no buffer {b:?}"));
        }
        self.used_bufs.insert(b);
        if b.index() < self.k.bufs.len() && self.k.bufs[b].elem.is_complex() {
            self.complex(self.k.bufs[b].elem);
        }
        Ok(self.bufs[b.index()].clone())
    }
    /// Writes one line.
    pub(crate) fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 4 * self.indent);
    }
    /// Makes sure that a helper is defined once, after those that it needs itself.
    pub(crate) fn helper(&mut self, name: &str, definition: impl FnOnce() -> String) {
        if !self.helpers.iter().any(|(known, _)| known == name) {
            self.helpers.push((name.to_string(), definition()));
        }
    }
}
