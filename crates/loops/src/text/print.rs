//! The printer of loop IR. It is total: a malformed kernel prints too, with `?v7` for an id that it does not have.

use super::{AND_ALSO, COMPARISON, PREFIX, infix};
use crate::nodes::{BufId, BufRole, Expr, LoopKernel, LoopMode, Stmt, Ty, VarId};
use openwork_algebra::{Prim, Scalar};
use std::fmt;

/// The text of a kernel, and where its statements are.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The text.
    pub text: String,
    /// For each statement, numbered in the order in which their first lines appear, the 0-based number of that line.
    pub lines: Vec<usize>,
}

/// The text of a kernel.
///
/// ```
/// use openwork_loops::{LoopKernel, BufRole, build::*, text::print};
/// use openwork_algebra::DType;
/// let mut k = LoopKernel::new("fill");
/// let (n, i) = (k.param("n"), k.index("i"));
/// let y = k.buf("y", DType::I64, BufRole::Out);
/// k.body = vec![for_each(i, int(0), var(n), vec![store(y, var(i), mul(int(2), var(i)))])];
/// assert_eq!(
///     print(&k),
///     "kernel fill(n: i64, y: out i64[]) {\n  for i in 0..n {\n    y[i] = 2 * i\n  }\n}\n"
/// );
/// ```
pub fn print(kernel: &LoopKernel) -> String {
    listing(kernel).text
}

/// The text of a kernel with the places of its statements.
pub fn listing(kernel: &LoopKernel) -> Listing {
    let mut p = LoopPrinter { k: kernel, out: String::new(), line: 0, lines: Vec::new() };
    p.kernel();
    Listing { text: p.out, lines: p.lines }
}

/// The text of an expression of `kernel`.
pub fn print_expr(kernel: &LoopKernel, e: &Expr) -> String {
    let mut p = LoopPrinter { k: kernel, out: String::new(), line: 0, lines: Vec::new() };
    p.expr(e, 0);
    p.out
}

/// The first line of a statement of `kernel`, e.g. `for i in 0..n {`.
pub fn print_stmt(kernel: &LoopKernel, s: &Stmt) -> String {
    let mut p = LoopPrinter { k: kernel, out: String::new(), line: 0, lines: Vec::new() };
    p.stmt(s, 0);
    p.out.lines().next().unwrap_or("").to_string()
}

impl fmt::Display for LoopKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            1 => write!(f, "{}", self.elem),
            n => write!(f, "{}x{n}", self.elem),
        }
    }
}

struct LoopPrinter<'k> {
    k: &'k LoopKernel,
    out: String,
    line: usize,
    lines: Vec<usize>,
}

impl LoopPrinter<'_> {
    fn kernel(&mut self) {
        let mut decls = Vec::new();
        for &v in &self.k.params {
            let ty = self.k.vars.get(v).map_or(Ty::INDEX, |v| v.ty);
            decls.push(format!("{}: {ty}", self.var_name(v)));
        }
        for (_, b) in self.k.bufs.iter() {
            let role = match b.role {
                BufRole::In => "in",
                BufRole::Out => "out",
                BufRole::Temp => "temp",
            };
            let init = b.init.name().map_or(String::new(), |word| format!("{word} "));
            decls.push(format!("{}: {role} {init}{}[]", b.name, b.elem));
        }
        self.put(&format!("kernel {}({}) {{", self.k.name, decls.join(", ")));
        self.newline();
        for s in &self.k.body {
            self.stmt(s, 1);
        }
        self.put("}");
        self.newline();
    }
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }
    fn newline(&mut self) {
        self.out.push('\n');
        self.line += 1;
    }
    fn var_name(&self, v: VarId) -> String {
        self.k.vars.get(v).map_or_else(|| format!("?{v:?}"), |v| v.name.clone())
    }
    fn var(&mut self, v: VarId) {
        match self.k.vars.get(v) {
            Some(var) => self.out.push_str(&var.name),
            None => self.out.push_str(&format!("?{v:?}")),
        }
    }
    fn buf(&mut self, b: BufId) {
        match self.k.bufs.get(b) {
            Some(buf) => self.out.push_str(&buf.name),
            None => self.out.push_str(&format!("?{b:?}")),
        }
    }
    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.put("  ");
        }
    }
    /// ` { … }` without the newline that follows it.
    fn block(&mut self, body: &[Stmt], depth: usize) {
        self.put(" {");
        self.newline();
        for s in body {
            self.stmt(s, depth + 1);
        }
        self.indent(depth);
        self.put("}");
    }
    fn stmt(&mut self, s: &Stmt, depth: usize) {
        self.lines.push(self.line);
        self.indent(depth);
        match s {
            Stmt::Let { var, val } => {
                let ty = self.k.vars.get(*var).map_or("?".to_string(), |v| v.ty.to_string());
                self.put("let ");
                self.var(*var);
                self.put(&format!(": {ty} = "));
                self.expr(val, 0);
            }
            Stmt::Set { var, val } => {
                self.var(*var);
                self.put(" = ");
                self.expr(val, 0);
            }
            Stmt::Store { buf, at, val, reduce } => self.store(*buf, at, val, *reduce),
            Stmt::For { var, lo, hi, step, mode, body } => {
                match mode {
                    LoopMode::Serial => {}
                    LoopMode::Vector => self.put("vector "),
                    LoopMode::Runs => self.put("runs "),
                    LoopMode::Wide { lanes } => self.put(&format!("wide({lanes}) ")),
                    LoopMode::Rows { lanes } => self.put(&format!("rows({lanes}) ")),
                }
                self.put("for ");
                self.var(*var);
                self.put(" in ");
                self.expr(lo, 0);
                self.put("..");
                self.expr(hi, 0);
                if *step != 1 {
                    self.put(&format!(" step {step}"));
                }
                self.block(body, depth);
            }
            Stmt::While { cond, body } => {
                self.put("while ");
                self.expr(cond, 0);
                self.block(body, depth);
            }
            Stmt::If { cond, then, other } => {
                self.put("if ");
                self.expr(cond, 0);
                self.block(then, depth);
                if !other.is_empty() {
                    self.put(" else");
                    self.block(other, depth);
                }
            }
            Stmt::Reserve { buf, len } => self.print_sized("reserve(", *buf, len),
            Stmt::SetLen { buf, len } => self.print_sized("set_len(", *buf, len),
            Stmt::Fail(status) => self.put(&format!("fail({})", status.name())),
            Stmt::Break => self.put("break"),
            Stmt::Poll => self.put("poll()"),
            Stmt::Note(text) => self.note(text, depth),
        }
        self.newline();
    }
    fn store(&mut self, buf: BufId, at: &Expr, val: &Expr, reduce: Option<Prim>) {
        self.buf(buf);
        self.put("[");
        self.expr(at, 0);
        self.put("] ");
        if let Some(prim) = reduce {
            self.put(match infix(prim) {
                Some((symbol, level)) if level != COMPARISON => symbol,
                _ => prim.name(),
            });
        }
        self.put("= ");
        self.expr(val, 0);
    }
    fn print_sized(&mut self, head: &str, buf: BufId, len: &Expr) {
        self.put(head);
        self.buf(buf);
        self.put(", ");
        self.expr(len, 0);
        self.put(")");
    }
    fn note(&mut self, text: &str, depth: usize) {
        for (n, line) in text.split('\n').enumerate() {
            if n > 0 {
                self.newline();
                self.indent(depth);
            }
            self.put("// ");
            self.put(line.trim_end());
            while self.out.ends_with(' ') {
                self.out.pop();
            }
        }
    }
    /// Writes `e`, in parentheses if it binds less tightly than `level`.
    fn expr(&mut self, e: &Expr, level: u8) {
        match e {
            Expr::Const(s) => self.out.push_str(&literal(*s)),
            Expr::Var(v) => self.var(*v),
            Expr::Load { buf, at } => {
                self.buf(*buf);
                self.put("[");
                self.expr(at, 0);
                self.put("]");
            }
            Expr::VLoad { buf, at, lanes } => {
                self.buf(*buf);
                self.put("[");
                self.expr(at, 0);
                self.put(&format!(" : {lanes}]"));
            }
            Expr::Call { prim, args } => self.call(*prim, args, level),
            Expr::Cast { to, arg } => {
                // A bare literal after a dtype is a constant of that dtype, so a cast of one needs a second pair.
                let bare = matches!(**arg, Expr::Const(Scalar::I64(_) | Scalar::F64(_) | Scalar::Bool(_)));
                self.put(to.name());
                self.put(if bare { "((" } else { "(" });
                self.expr(arg, 0);
                self.put(if bare { "))" } else { ")" });
            }
            Expr::AndAlso(a, b) => self.infix("&&", AND_ALSO, a, b, level),
            Expr::Splat { lanes, arg } => {
                self.put(&format!("splat({lanes}, "));
                self.expr(arg, 0);
                self.put(")");
            }
            Expr::Pack(lanes) => self.function("pack", lanes),
            Expr::Fold { prim, arg } => {
                self.put(&format!("fold({}, ", prim.name()));
                self.expr(arg, 0);
                self.put(")");
            }
        }
    }
    fn call(&mut self, prim: Prim, args: &[Expr], level: u8) {
        match (args, infix(prim)) {
            ([a, b], Some((symbol, own))) => self.infix(symbol, own, a, b, level),
            ([a], _) if prim == Prim::Neg => self.prefix("-", a),
            ([a], _) if prim == Prim::Not => self.prefix("!", a),
            _ => self.function(prim.name(), args),
        }
    }
    fn infix(&mut self, symbol: &str, own: u8, a: &Expr, b: &Expr, level: u8) {
        let open = own < level;
        if open {
            self.put("(");
        }
        self.expr(a, if own == COMPARISON { own + 1 } else { own });
        self.put(" ");
        self.put(symbol);
        self.put(" ");
        self.expr(b, own + 1);
        if open {
            self.put(")");
        }
    }
    fn prefix(&mut self, symbol: &str, a: &Expr) {
        self.put(symbol);
        // `-3` is a constant, so the negation of a constant is written `-(3)`.
        let bare = matches!(a, Expr::Const(_));
        if bare {
            self.put("(");
        }
        self.expr(a, PREFIX);
        if bare {
            self.put(")");
        }
    }
    fn function(&mut self, name: &str, args: &[Expr]) {
        self.put(name);
        self.put("(");
        for (n, arg) in args.iter().enumerate() {
            if n > 0 {
                self.put(", ");
            }
            self.expr(arg, 0);
        }
        self.put(")");
    }
}

/// A constant: `3`, `3.0`, `true`, otherwise the dtype with the value in parentheses.
fn literal(s: Scalar) -> String {
    match s {
        Scalar::I64(n) => n.to_string(),
        Scalar::Bool(b) => b.to_string(),
        Scalar::F64(x) => float(format!("{x:?}")),
        Scalar::F32(x) => format!("f32({})", short(format!("{x:?}"))),
        Scalar::C64(z) => complex("c64", format!("{:?}", z.re), format!("{:?}", z.im)),
        Scalar::C128(z) => complex("c128", format!("{:?}", z.re), format!("{:?}", z.im)),
        Scalar::I8(_) | Scalar::I16(_) | Scalar::I32(_) => format!("{}({s})", s.dtype()),
        Scalar::U8(_) | Scalar::U16(_) | Scalar::U32(_) | Scalar::U64(_) => format!("{}({s})", s.dtype()),
    }
}
fn float(debug: String) -> String {
    if debug == "NaN" { "nan".into() } else { debug }
}
fn short(debug: String) -> String {
    float(debug.strip_suffix(".0").map(str::to_string).unwrap_or(debug))
}
fn complex(dtype: &str, re: String, im: String) -> String {
    let im = short(im);
    let sign = if im.starts_with('-') { "" } else { "+" };
    format!("{dtype}({}{sign}{im}j)", short(re))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::*;
    use crate::nodes::Status;
    use openwork_algebra::{Complex, DType};

    /// Row by row product of a CSR matrix and a vector, the running example.
    fn spmv() -> LoopKernel {
        let mut k = LoopKernel::new("spmv");
        let n = k.param("A1_dim");
        let pos = k.buf("A2_pos", DType::I64, BufRole::In);
        let crd = k.buf("A2_crd", DType::I32, BufRole::In);
        let a = k.buf("A_vals", DType::F64, BufRole::In);
        let x = k.buf("x_vals", DType::F64, BufRole::In);
        let y = k.buf("y_vals", DType::F64, BufRole::Out);
        let (i, p) = (k.index("i"), k.index("p"));
        let t = k.var("t", Ty::scalar(DType::F64));
        let product = mul(load(a, var(p)), load(x, k.load_index(crd, var(p))));
        let inner = Stmt::For {
            var: p,
            lo: load(pos, var(i)),
            hi: load(pos, add(var(i), int(1))),
            step: 1,
            mode: LoopMode::Vector,
            body: vec![set(t, add(var(t), product))],
        };
        let zero = Stmt::Let { var: t, val: constant(Scalar::F64(0.0)) };
        k.body = vec![for_each(i, int(0), var(n), vec![zero, inner, store(y, var(i), var(t))])];
        k
    }

    #[test]
    fn spmv_reads_like_code() {
        let want = "\
kernel spmv(A1_dim: i64, A2_pos: in i64[], A2_crd: in i32[], A_vals: in f64[], x_vals: in f64[], y_vals: out f64[]) {
  for i in 0..A1_dim {
    let t: f64 = 0.0
    vector for p in A2_pos[i]..A2_pos[i + 1] {
      t = t + A_vals[p] * x_vals[i64(A2_crd[p])]
    }
    y_vals[i] = t
  }
}
";
        let got = listing(&spmv());
        assert_eq!(got.text, want);
        assert_eq!(got.lines, [1, 2, 3, 4, 6]);
    }

    fn expr_text(e: Expr) -> String {
        let mut k = LoopKernel::new("k");
        k.index("a");
        k.index("b");
        k.buf("v", DType::F64, BufRole::In);
        print_expr(&k, &e)
    }
    fn ab() -> (Expr, Expr) {
        let mut k = LoopKernel::new("k");
        (var(k.index("a")), var(k.index("b")))
    }

    #[test]
    fn parentheses_only_where_needed() {
        let (a, b) = ab();
        let c = |p, x: &Expr, y: &Expr| call(p, x.clone(), y.clone());
        let sum = c(Prim::Add, &a, &b);
        let less = c(Prim::Lt, &a, &b);
        for (e, want) in [
            (c(Prim::Mul, &sum, &b), "(a + b) * b"),
            (c(Prim::Add, &sum, &b), "a + b + b"),
            (c(Prim::Sub, &a, &sum), "a - (a + b)"),
            (c(Prim::Lt, &sum, &b), "a + b < b"),
            (c(Prim::Eq, &less, &less), "(a < b) == (a < b)"),
            (c(Prim::And, &less, &less), "(a < b) & (a < b)"),
            (Expr::AndAlso(less.clone().into(), less.clone().into()), "a < b && a < b"),
            (Expr::Call { prim: Prim::Neg, args: vec![sum.clone()] }, "-(a + b)"),
            (Expr::Call { prim: Prim::Neg, args: vec![int(3)] }, "-(3)"),
            (c(Prim::Sub, &a, &int(-3)), "a - -3"),
            (Expr::Call { prim: Prim::Not, args: vec![less.clone()] }, "!(a < b)"),
            (c(Prim::Min, &a, &sum), "min(a, a + b)"),
            (c(Prim::Quot, &a, &sum), "quot(a, a + b)"),
            (Expr::Call { prim: Prim::Popcount, args: vec![sum.clone()] }, "popcount(a + b)"),
            (Expr::Call { prim: Prim::Select, args: vec![less, a.clone(), b] }, "select(a < b, a, b)"),
            (Expr::Pack(vec![a.clone(), int(1)]), "pack(a, 1)"),
            (
                Expr::Fold { prim: Prim::Add, arg: Expr::Splat { lanes: 2, arg: a.into() }.into() },
                "fold(add, splat(2, a))",
            ),
        ] {
            assert_eq!(expr_text(e), want);
        }
    }

    #[test]
    fn constants_carry_their_dtype() {
        for (s, want) in [
            (Scalar::I64(-4), "-4"),
            (Scalar::F64(2.0), "2.0"),
            (Scalar::F64(-0.0), "-0.0"),
            (Scalar::F64(1e300), "1e300"),
            (Scalar::F64(f64::NAN), "nan"),
            (Scalar::F64(f64::NEG_INFINITY), "-inf"),
            (Scalar::Bool(true), "true"),
            (Scalar::F32(1.5), "f32(1.5)"),
            (Scalar::U8(3), "u8(3)"),
            (Scalar::C128(Complex::new(1.0, 2.0)), "c128(1+2j)"),
            (Scalar::C64(Complex::new(-1.0, f32::NAN)), "c64(-1+nanj)"),
        ] {
            assert_eq!(expr_text(constant(s)), want);
        }
        assert_eq!(expr_text(cast(DType::F32, DType::F64, constant(Scalar::F64(1.5)))), "f32((1.5))");
    }

    #[test]
    fn every_statement_has_a_line() {
        let mut k = LoopKernel::new("all");
        let n = k.param("n");
        let y = k.buf("y", DType::F64, BufRole::Out);
        let i = k.index("i");
        let one = constant(Scalar::F64(1.0));
        let plus = |prim| Stmt::Store { buf: y, at: var(i), val: one.clone(), reduce: Some(prim) };
        k.body = vec![
            Stmt::Reserve { buf: y, len: var(n) },
            Stmt::For {
                var: i,
                lo: int(0),
                hi: var(n),
                step: 8,
                mode: LoopMode::Serial,
                body: vec![Stmt::Poll, plus(Prim::Add), plus(Prim::Min)],
            },
            Stmt::While { cond: lt(var(n), int(3)), body: vec![set(n, add(var(n), int(1))), Stmt::Break] },
            Stmt::If {
                cond: eq(var(n), int(3)),
                then: vec![Stmt::Note("three".into())],
                other: vec![Stmt::Fail(Status::IndexOverflow)],
            },
            Stmt::SetLen { buf: y, len: var(n) },
        ];
        let want = "\
kernel all(n: i64, y: out f64[]) {
  reserve(y, n)
  for i in 0..n step 8 {
    poll()
    y[i] += 1.0
    y[i] min= 1.0
  }
  while n < 3 {
    n = n + 1
    break
  }
  if n == 3 {
    // three
  } else {
    fail(index_overflow)
  }
  set_len(y, n)
}
";
        assert_eq!(print(&k), want);
        assert_eq!(print_stmt(&k, &k.body[1]), "for i in 0..n step 8 {");
    }

    #[test]
    fn constants_of_special_parts_read_back_bit_for_bit() {
        let parts = [0.0, -0.0, 1.5, -1e300, 1e-40, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.1];
        let bits = |s: Scalar| {
            let z = s.as_complex();
            [z.re, z.im].map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() })
        };
        for dtype in DType::ALL {
            for (re, im) in parts.into_iter().flat_map(|re| parts.map(|im| (re, im))) {
                let value = Scalar::C128(Complex::new(re, im)).cast(dtype);
                let text = format!("kernel k(y: out {dtype}[]) {{\n  y[0] = {}\n}}\n", literal(value));
                let kernel = crate::text::parse(&openwork_base::Source::new("test", text.clone())).unwrap();
                let Some(Stmt::Store { val: Expr::Const(read), .. }) = kernel.body.first() else {
                    panic!("{text}");
                };
                assert_eq!((read.dtype(), bits(*read)), (dtype, bits(value)), "{text}");
            }
        }
    }
}
