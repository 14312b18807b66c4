//! Literals that only take part in arithmetic become inputs, so that kernels which differ in nothing else are one kernel.
//!
//! ```text
//! kernel k(n: i64, x: in f64[], y: out f64[]) {      kernel k(n: i64, x: in f64[], y: out f64[], literals_f64: in f64[]) {
//!   for i in 0..n {                                    let literal: f64 = literals_f64[0]
//!     y[i] = 2.5 * x[i]                         =>     for i in 0..n {
//!   }                                                    y[i] = literal * x[i]
//! }                                                    }
//!                                                    }                                            with [2.5]
//! ```
//!
//! A literal becomes an input wherever that is possible, and that it computes the same is no matter of its value: a
//! variable that is set once to it stands in its place. So a kernel with the same text may be given the literals of
//! another, and computes what that one would. What stays in the text is what passes and backends make use of:
//!
//! - indices, positions, sizes and bounds: integers that no value of a tensor flows into;
//! - truth values, 0, 1, -1, infinities and NaN, the smallest and largest integers: identities and annihilators;
//! - factors, divisors and amounts of shifts of integers: cheaper when they are known;
//! - divisors of floats that are powers of two: a product in C.

use crate::build::{int, load, var};
use crate::kinds::read_buffer;
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, Stmt, Ty, VarId};
use crate::walk::{each_stmt, each_stmt_mut, exprs_mut, parts, parts_mut};
use openwork_algebra::{DType, DTypeKind, Prim, Scalar};
use openwork_base::IdSet;

/// The literals of kernels by dtype: what their last inputs hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Literals(Vec<(DType, Vec<Scalar>)>);

impl Literals {
    /// Every dtype with its literals.
    pub fn tables(&self) -> impl Iterator<Item = (DType, &[Scalar])> {
        self.0.iter().map(|(dtype, all)| (*dtype, &all[..]))
    }
    /// The place of a literal among those of its dtype, at their end if it is new.
    fn number(&mut self, s: Scalar) -> usize {
        let dtype = s.dtype();
        let n = self.0.iter().position(|(d, _)| *d == dtype).unwrap_or_else(|| {
            self.0.push((dtype, Vec::new()));
            self.0.len() - 1
        });
        let all = &mut self.0[n].1;
        all.iter().position(|t| t.identical(s)).unwrap_or_else(|| {
            all.push(s);
            all.len() - 1
        })
    }
}

/// Makes inputs of the literals of a lawful kernel. Its new buffers come after all others, one for each dtype; they hold
/// what `literals` says, which may have those of other kernels already. `values` tells buffers of values from those of
/// indices.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{literals::{Literals, outline}, text::{parse, print}};
/// let read = |text: &str| parse(&Source::new("demo", text)).unwrap();
/// let of = |c: &str| {
///     let text = format!("kernel k(n: i64, y: out f64[]) {{ for i in 0..n {{ y[i] += {c} }} }}");
///     let mut literals = Literals::default();
///     (print(&outline(read(&text), |_| true, &mut literals)), literals)
/// };
/// assert_eq!(of("2.5").0, of("0.1").0);
/// assert_ne!(of("2.5").1, of("0.1").1);
/// assert!(of("1.0").0.contains("y[i] += 1.0"));
/// ```
pub fn outline(
    mut kernel: LoopKernel,
    values: impl Fn(BufId) -> bool,
    literals: &mut Literals,
) -> LoopKernel {
    let flow = Flow::analyse(&kernel, values);
    let mut found = LiteralSites { flow, literals, inputs: Vec::new(), names: Vec::new(), loads: Vec::new() };
    let mut body = std::mem::take(&mut kernel.body);
    each_stmt_mut(&mut body, &mut |s| found.stmt(&mut kernel, s));
    kernel.body = found.loads;
    kernel.body.extend(body);
    kernel
}

/// Where values of tensors go. Floats and complex numbers are always values, truth values never are.
struct Flow {
    bufs: IdSet<BufId>,
    vars: IdSet<VarId>,
}

impl Flow {
    fn analyse(kernel: &LoopKernel, values: impl Fn(BufId) -> bool) -> Flow {
        let bufs = kernel.bufs.iter().filter(|(id, b)| b.elem.is_int() && values(*id));
        let mut flow = Flow { bufs: bufs.map(|(id, _)| id).collect(), vars: IdSet::default() };
        loop {
            let mut more = false;
            each_stmt(&kernel.body, &mut |s| match s {
                Stmt::Let { var, val } | Stmt::Set { var, val } => {
                    let whole = kernel.vars[*var].ty.elem.is_int();
                    if whole && !flow.vars.contains(var) && flow.carries(kernel, val) {
                        more |= flow.vars.insert(*var);
                    }
                }
                Stmt::Store { buf, at: _, val, reduce: _ } => {
                    let whole = kernel.bufs[*buf].elem.is_int();
                    if whole && !flow.bufs.contains(buf) && flow.carries(kernel, val) {
                        more |= flow.bufs.insert(*buf);
                    }
                }
                // Values go nowhere else: what other statements name are indices and conditions.
                _ => {}
            });
            if !more {
                return flow;
            }
        }
    }
    /// Whether `e` is computed from values of tensors.
    fn carries(&self, kernel: &LoopKernel, e: &Expr) -> bool {
        let of = |elem: DType, listed: bool| listed || elem.kind() >= DTypeKind::Float;
        match e {
            Expr::Const(s) => of(s.dtype(), false),
            Expr::Var(v) => of(kernel.vars[*v].ty.elem, self.vars.contains(v)),
            Expr::AndAlso(..) => false,
            Expr::Call { prim, .. } if prim.is_comparison() => false,
            Expr::Call { prim: Prim::Select, args } => args[1..].iter().any(|a| self.carries(kernel, a)),
            Expr::Cast { to: DType::Bool, arg: _ } => false,
            Expr::Cast { to, arg } => of(*to, self.carries(kernel, arg)),
            e => match read_buffer(e) {
                Some(buf) => of(kernel.bufs[buf].elem, self.bufs.contains(&buf)),
                None => parts(e).into_iter().any(|a| self.carries(kernel, a)),
            },
        }
    }
}

struct LiteralSites<'l> {
    flow: Flow,
    literals: &'l mut Literals,
    /// The input of each dtype.
    inputs: Vec<(DType, BufId)>,
    /// The variable of each literal of an input.
    names: Vec<(BufId, usize, VarId)>,
    loads: Vec<Stmt>,
}

impl LiteralSites<'_> {
    fn stmt(&mut self, kernel: &mut LoopKernel, s: &mut Stmt) {
        match s {
            Stmt::Let { var, val } | Stmt::Set { var, val } => {
                let value = self.flow.vars.contains(var);
                self.expr(kernel, val, value);
            }
            Stmt::Store { buf, at, val, reduce: _ } => {
                let value = self.flow.bufs.contains(buf);
                self.expr(kernel, at, false);
                self.expr(kernel, val, value);
            }
            s => exprs_mut(s).for_each(|e| self.expr(kernel, e, false)),
        }
    }
    /// Replaces what is a value in `e`; `value` says whether `e` is one itself, if it is an integer.
    fn expr(&mut self, kernel: &mut LoopKernel, e: &mut Expr, value: bool) {
        match e {
            Expr::Const(s) => {
                if (value || s.dtype().kind() >= DTypeKind::Float) && !special(*s) {
                    *e = self.input(kernel, *s);
                }
            }
            Expr::Call { prim, args } => {
                let prim = *prim;
                // What is compared, or chosen between, may be a value where the outcome is none, and the other way round.
                let chosen = usize::from(prim == Prim::Select);
                let outer = value && !prim.is_comparison();
                let inner = args[chosen..].iter().any(|a| self.flow.carries(kernel, a));
                for (n, arg) in args.iter_mut().enumerate() {
                    if !cheaper(prim, n, arg) {
                        self.expr(kernel, arg, n >= chosen && (outer || inner));
                    }
                }
            }
            Expr::Cast { to: _, arg } => {
                let value = self.flow.carries(kernel, arg);
                self.expr(kernel, arg, value);
            }
            Expr::AndAlso(a, b) => [a, b].into_iter().for_each(|e| self.expr(kernel, e, false)),
            e => {
                // Where something is read from is no value.
                let value = value && read_buffer(e).is_none();
                parts_mut(e).for_each(|e| self.expr(kernel, e, value));
            }
        }
    }
    /// The variable that holds a literal from the start of the kernel.
    fn input(&mut self, kernel: &mut LoopKernel, s: Scalar) -> Expr {
        let dtype = s.dtype();
        let known = self.inputs.iter().find(|(d, _)| *d == dtype).map(|(_, b)| *b);
        let buf = known.unwrap_or_else(|| {
            let buf = kernel.buf(format!("literals_{dtype}"), dtype, BufRole::In);
            self.inputs.push((dtype, buf));
            buf
        });
        let n = self.literals.number(s);
        let known = self.names.iter().find(|(b, m, _)| (*b, *m) == (buf, n)).map(|(.., v)| *v);
        var(known.unwrap_or_else(|| {
            let v = kernel.var("literal", Ty::scalar(dtype));
            self.loads.push(Stmt::Let { var: v, val: load(buf, int(n as i64)) });
            self.names.push((buf, n, v));
            v
        }))
    }
}

/// Whether passes or backends make something of this value.
fn special(s: Scalar) -> bool {
    let dtype = s.dtype();
    let unit = |x: f64| !x.is_finite() || x == 0.0 || x.abs() == 1.0;
    match dtype.kind() {
        DTypeKind::Bool => true,
        DTypeKind::Unsigned | DTypeKind::Signed => {
            let few = [-1, 0, 1].map(|n| Some(Scalar::from_i64(n, dtype)));
            few.into_iter().chain([Scalar::lowest(dtype), Scalar::highest(dtype)]).any(|t| t == Some(s))
        }
        DTypeKind::Float | DTypeKind::Complex => unit(s.as_complex().re) && unit(s.as_complex().im),
    }
}

/// Whether `arg` is a literal that makes a primitive cheaper as its `n`-th argument.
fn cheaper(prim: Prim, n: usize, arg: &Expr) -> bool {
    let Expr::Const(s) = arg else { return false };
    match (prim, s.dtype().kind()) {
        (Prim::Quot | Prim::Rem | Prim::Shl | Prim::Shr, _) => n == 1,
        // In a register, two factors made a merge of two CSR matrices 5 % slower.
        (Prim::Mul, DTypeKind::Unsigned | DTypeKind::Signed) => true,
        (Prim::Div, DTypeKind::Float) => n == 1 && s.as_f64().to_bits() << 12 == 0,
        (_, _) => false,
    }
}

#[cfg(test)]
mod tests;
