//! Scalar expressions.

use crate::spell::{ExprText, Prec, c_type, is_narrow, literal};
use crate::unit::CPrinter;
use openwork_algebra::{DType, DTypeKind, Prim, Scalar};
use openwork_base::Result;
use openwork_loops::{Expr, Ty};

/// The C operator of a binary primitive on scalars or vectors of numbers, or scalar bools.
pub(crate) fn infix(prim: Prim, elem: DType) -> Option<(&'static str, Prec)> {
    let is_bool = elem == DType::Bool;
    Some(match prim {
        Prim::Add | Prim::Max if is_bool => ("|", Prec::Or),
        Prim::Mul | Prim::Min if is_bool => ("&", Prec::And),
        Prim::Add => ("+", Prec::Sum),
        Prim::Sub => ("-", Prec::Sum),
        Prim::Mul | Prim::Fused => ("*", Prec::Product),
        Prim::Div => ("/", Prec::Product),
        Prim::Eq => ("==", Prec::Equality),
        Prim::Ne => ("!=", Prec::Equality),
        Prim::Lt => ("<", Prec::Order),
        Prim::Le => ("<=", Prec::Order),
        Prim::Gt => (">", Prec::Order),
        Prim::Ge => (">=", Prec::Order),
        Prim::And => ("&", Prec::And),
        Prim::Or => ("|", Prec::Or),
        Prim::Xor => ("^", Prec::Xor),
        Prim::Min | Prim::Max | Prim::Neg | Prim::Abs | Prim::Not | Prim::Select => return None,
        Prim::Times | Prim::Least | Prim::Most => return None,
        Prim::Quot
        | Prim::Rem
        | Prim::Shl
        | Prim::Shr
        | Prim::Ctz
        | Prim::Popcount
        | Prim::Library(_)
        | Prim::Choose
        | Prim::Defined(_) => {
            return None;
        }
    })
}

/// `left op right` with as few parentheses as C and a reader need.
pub(crate) fn join(op: &str, prec: Prec, left: &ExprText, right: &ExprText, ty: Ty) -> ExprText {
    let (l, r) = match prec {
        // Nobody remembers how these mix with comparisons, with sums and with each other; compilers warn of it.
        Prec::And | Prec::Or | Prec::Xor => {
            let side = |x: &ExprText| if x.prec == prec { x.text.clone() } else { x.as_operand(Prec::Unary) };
            (side(left), right.as_operand(Prec::Unary))
        }
        Prec::Equality | Prec::Order => (left.as_operand(Prec::Sum), right.as_operand(Prec::Sum)),
        Prec::Choice | Prec::AndAlso | Prec::Sum | Prec::Product | Prec::Unary | Prec::Atom => {
            (left.as_operand(prec), right.as_operand(prec.tighter()))
        }
    };
    ExprText { text: format!("{l} {op} {r}"), prec, ty }
}

impl CPrinter<'_> {
    /// Prints an expression that is not a vector of bools.
    pub(crate) fn expr(&mut self, e: &Expr) -> Result<ExprText> {
        match e {
            Expr::Const(s) => {
                self.complex(s.dtype());
                Ok(literal(*s))
            }
            Expr::Var(v) => match self.k.vars.get(*v) {
                Some(var) => Ok(ExprText::atom(self.var(*v), var.ty)),
                None => self.bug(format!("no variable {v:?}")),
            },
            Expr::Load { buf, at } => {
                let (name, at) = (self.buf(*buf)?, self.index(at)?);
                Ok(ExprText::atom(format!("{name}[{}]", at.text), Ty::scalar(self.k.bufs[*buf].elem)))
            }
            Expr::Call { prim, args } => match e.fused_sum() {
                Some([x, y, z]) => {
                    let texts = [self.expr(x)?, self.expr(y)?, self.expr(z)?];
                    self.fused_sum(&texts)
                }
                None => self.call_expr(*prim, args),
            },
            Expr::Cast { to, arg } => self.cast_expr(*to, arg),
            Expr::AndAlso(a, b) => {
                let (a, b) = (self.print_typed(a, Ty::BOOL)?, self.print_typed(b, Ty::BOOL)?);
                let text = format!("{} && {}", a.as_operand(Prec::AndAlso), b.as_operand(Prec::AndAlso));
                Ok(ExprText { text, prec: Prec::AndAlso, ty: Ty::BOOL })
            }
            Expr::VLoad { buf, at, lanes } => self.vload(*buf, at, *lanes),
            Expr::Splat { lanes, arg } => self.splat(*lanes, arg),
            Expr::Pack(lanes) => self.pack(lanes),
            Expr::Fold { prim, arg } => self.fold(*prim, arg),
        }
    }
    /// `x * y + z`, rounded once where the machine has an instruction for that.
    pub(crate) fn fused_sum(&mut self, args: &[ExprText; 3]) -> Result<ExprText> {
        let ty = args[0].ty;
        let one = self.fused_helper(ty.elem);
        let name = if ty.lanes > 1 { self.fused_lanes(&one, ty)? } else { one };
        let list = args.each_ref().map(|a| a.text.as_str()).join(", ");
        Ok(ExprText::atom(format!("{name}({list})"), ty))
    }
    fn call_expr(&mut self, prim: Prim, args: &[Expr]) -> Result<ExprText> {
        let operands = if prim == Prim::Select { args.get(1..).unwrap_or(&[]) } else { args };
        if args.len() != prim.arity() {
            return self.bug(format!("{} of {} arguments", prim.name(), args.len()));
        }
        match self.k.ty(&operands[0]) {
            Ok(ty) if ty.lanes > 1 => return self.vector_call(prim, args, ty),
            Ok(_) => {}
            Err(e) => return self.bug(e),
        }
        // What bits are taken of may be any number.
        let sums = matches!(prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Min | Prim::Max | Prim::Select);
        let outer = self.in_index;
        self.in_index = outer && sums;
        let texts: Result<Vec<_>> = args.iter().map(|a| self.expr(a)).collect();
        self.in_index = outer;
        let mut texts = texts?;
        if CPrinter::all_literal(operands) {
            // C would compute with two small literals as `int`.
            let n = args.len() - operands.len();
            texts[n] = self.explicit(&texts[n]);
        }
        if let (Prim::Add, [_, Expr::Const(Scalar::I64(n))]) = (prim, args)
            && (-i64::MAX..0).contains(n)
            && self.counts(&args[0])
        {
            let positive = literal(Scalar::I64(-n));
            return Ok(join("-", Prec::Sum, &texts[0], &positive, texts[0].ty));
        }
        if let ([_, Expr::Const(by)], Some(n)) = (args, power_of_two(prim, args)) {
            let (prim, by) = match prim == Prim::Quot {
                true => (Prim::Shr, Scalar::from_i64(n, by.dtype())),
                false => (Prim::And, Prim::Sub.eval(&[*by, Scalar::one(by.dtype())]).unwrap_or(*by)),
            };
            return self.apply(prim, &[texts[0].clone(), literal(by)]);
        }
        if texts[0].ty == Ty::INDEX && self.stays_in_range(prim, args) {
            return Ok(match infix(prim, DType::I64) {
                Some((op, prec)) => join(op, prec, &texts[0], &texts[1], Ty::INDEX),
                None => self.special(prim, &texts, Ty::INDEX),
            });
        }
        self.apply(prim, &texts)
    }
    /// Whether index arithmetic cannot leave the range of 64 bits: it says where in memory something is, or is a step beside that.
    fn stays_in_range(&self, prim: Prim, args: &[Expr]) -> bool {
        let near = |e: &Expr| match e {
            Expr::Const(Scalar::I64(n)) => n.unsigned_abs() < 1 << 32,
            Expr::Call { prim, .. } => matches!(prim, Prim::Ctz | Prim::Popcount),
            _ => false,
        };
        match (prim, args) {
            (Prim::Add | Prim::Sub, [a, b]) => {
                self.in_index || (self.counts(a) || near(a)) && (self.counts(b) || near(b))
            }
            // Hashes are made by multiplying with large numbers.
            (Prim::Mul, [a, b]) => {
                let factor = |e: &Expr| near(e) || !matches!(e, Expr::Const(_));
                self.in_index && factor(a) && factor(b)
            }
            _ => false,
        }
    }
    /// Whether an expression says where in memory something is.
    fn counts(&self, e: &Expr) -> bool {
        // Shifted to the right, any number is far from the ends of the range.
        let shifted = |by: &Expr| matches!(by, Expr::Const(Scalar::I64(1..64)));
        match e {
            Expr::Var(v) => self.in_index || self.indices.contains(v),
            Expr::Call { prim: Prim::Shr, args } => self.in_index || shifted(&args[1]),
            _ => self.in_index,
        }
    }
    /// Applies a primitive to scalars.
    pub(crate) fn apply(&mut self, prim: Prim, args: &[ExprText]) -> Result<ExprText> {
        let operands = if prim == Prim::Select { &args[1..] } else { args };
        let ty = operands[0].ty;
        let choice_fits = prim != Prim::Select || args[0].ty == Ty::BOOL;
        let Some(elem) = prim.result(ty.elem).filter(|_| operands.iter().all(|a| a.ty == ty) && choice_fits)
        else {
            let types: Vec<Ty> = args.iter().map(|a| a.ty).collect();
            return self.bug(format!("{} of {types:?}", prim.name()));
        };
        let result = Ty::scalar(elem);
        if prim == Prim::Select {
            let [c, x, y] = [&args[0], &args[1], &args[2]].map(|a| a.as_operand(Prec::AndAlso));
            return Ok(ExprText { text: format!("{c} ? {x} : {y}"), prec: Prec::Choice, ty: result });
        }
        if let Prim::Library(f) = prim
            && !ty.elem.is_complex()
        {
            let name = self.library(f, ty.elem);
            let list: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
            return Ok(ExprText::atom(format!("{name}({})", list.join(", ")), result));
        }
        if ty.elem.is_complex() {
            return Ok(self.complex_call(prim, args, result));
        }
        if prim.arity() == 2 && wraps(prim, ty.elem) {
            return Ok(wrap_arithmetic(prim, args, result));
        }
        if let Some((op, prec)) = infix(prim, ty.elem) {
            let x = join(op, prec, &args[0], &args[1], result);
            return Ok(if is_narrow(elem) { self.explicit(&x) } else { x });
        }
        Ok(self.special(prim, args, result))
    }
    /// Primitives without an infix operator, on real scalars.
    fn special(&mut self, prim: Prim, args: &[ExprText], ty: Ty) -> ExprText {
        let operand = args[0].as_operand(Prec::Unary);
        let kind = ty.elem.kind();
        let sign = match prim {
            Prim::Neg if wraps(prim, ty.elem) => {
                return wrap_arithmetic(Prim::Sub, &[zero(ty), args[0].clone()], ty);
            }
            Prim::Neg => "-",
            Prim::Not if kind == DTypeKind::Bool => "!",
            Prim::Not => "~",
            Prim::Abs if matches!(kind, DTypeKind::Bool | DTypeKind::Unsigned) => return args[0].clone(),
            Prim::Abs if kind == DTypeKind::Float => {
                let f = if ty.elem == DType::F32 { "__builtin_fabsf" } else { "__builtin_fabs" };
                return ExprText::atom(format!("{f}({})", args[0].text), ty);
            }
            Prim::Abs
            | Prim::Min
            | Prim::Max
            | Prim::Times
            | Prim::Least
            | Prim::Most
            | Prim::Quot
            | Prim::Rem
            | Prim::Shl
            | Prim::Shr
            | Prim::Ctz
            | Prim::Popcount => {
                let name = self.numeric_helper(prim, ty.elem);
                let list: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
                return ExprText::atom(format!("{name}({})", list.join(", ")), ty);
            }
            Prim::Add | Prim::Sub | Prim::Mul | Prim::Fused | Prim::Div => "",
            Prim::And | Prim::Or | Prim::Xor => "",
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Select => "",
            Prim::Library(_) | Prim::Choose | Prim::Defined(_) => "",
        };
        // A literal with a sign of its own would otherwise read as a decrement; narrow types and literals need
        // their type back.
        let operand = if operand.starts_with('-') { format!("({operand})") } else { operand };
        let text = match ty.elem.is_int() {
            true => format!("({0})({sign}({0}){operand})", c_type(ty.elem)),
            false => format!("{sign}{operand}"),
        };
        let plain =
            ty.elem.is_int() && !is_narrow(ty.elem) && args[0].prec == Prec::Atom && !is_number(&operand);
        let text = if plain { format!("{sign}{operand}") } else { text };
        ExprText { text, prec: Prec::Unary, ty }
    }
    fn complex_call(&mut self, prim: Prim, args: &[ExprText], ty: Ty) -> ExprText {
        let name = self.complex_helper(prim, args[0].ty.elem);
        let list: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
        ExprText::atom(format!("{name}({})", list.join(", ")), ty)
    }
    fn cast_expr(&mut self, to: DType, arg: &Expr) -> Result<ExprText> {
        match self.k.ty(arg) {
            Ok(ty) if ty.lanes > 1 => return self.vector_cast(to, arg, ty),
            Ok(_) => {}
            Err(e) => return self.bug(e),
        }
        let x = self.expr(arg)?;
        Ok(self.cast(to, &x))
    }
    /// Converts a scalar by the rules of `Scalar::cast`.
    pub(crate) fn cast(&mut self, to: DType, x: &ExprText) -> ExprText {
        let (from, ty) = (x.ty.elem, Ty::scalar(to));
        if from == to {
            return x.clone();
        }
        if from.is_complex() {
            let name = self.complex_cast(from, to);
            return ExprText::atom(format!("{name}({})", x.text), ty);
        }
        let plain = |to: DType| format!("({}){}", c_type(to), x.as_operand(Prec::Unary));
        match to.kind() {
            DTypeKind::Bool => {
                ExprText { text: format!("{} != 0", x.as_operand(Prec::Sum)), prec: Prec::Equality, ty }
            }
            DTypeKind::Signed | DTypeKind::Unsigned if from.is_float() => {
                let name = self.saturating_helper(to);
                ExprText::atom(format!("{name}({})", x.text), ty)
            }
            DTypeKind::Complex => {
                self.complex(to);
                ExprText::atom(format!("({}){{{}, 0}}", c_type(to), plain(to.real())), ty)
            }
            DTypeKind::Signed | DTypeKind::Unsigned | DTypeKind::Float => {
                ExprText { text: plain(to), prec: Prec::Unary, ty }
            }
        }
    }
}

/// Whether a primitive on integers may leave the range of a type that C does not let it leave: of signed ones, and of unsigned
/// ones of 16 bits, which C multiplies as signed ones.
pub(crate) fn wraps(prim: Prim, elem: DType) -> bool {
    match prim {
        Prim::Add | Prim::Sub | Prim::Neg => matches!(elem, DType::I32 | DType::I64),
        Prim::Mul => matches!(elem, DType::I32 | DType::I64 | DType::U16),
        _ => false,
    }
}

/// The unsigned type of the size in which C computes with an integer.
fn unsigned_type(elem: DType) -> &'static str {
    if elem == DType::I64 { "uint64_t" } else { "uint32_t" }
}

/// `(int64_t)((uint64_t)a + (uint64_t)b)`: what leaves the range wraps.
fn wrap_arithmetic(prim: Prim, args: &[ExprText], ty: Ty) -> ExprText {
    let (signed, unsigned) = (c_type(ty.elem), unsigned_type(ty.elem));
    let op = infix(prim, ty.elem).map_or("-", |(op, _)| op);
    let side = |x: &ExprText| format!("({unsigned}){}", x.as_operand(Prec::Unary));
    // A number beside it takes the type of the other side.
    let right = &args[1];
    let number = right.text.bytes().all(|b| b.is_ascii_digit());
    let right = if number { right.text.clone() } else { side(right) };
    let text = format!("({signed})({} {op} {right})", side(&args[0]));
    ExprText { text, prec: Prec::Unary, ty }
}

fn zero(ty: Ty) -> ExprText {
    ExprText::atom("0", ty)
}

/// The logarithm of a positive power of two by which integers are divided.
fn power_of_two(prim: Prim, args: &[Expr]) -> Option<i64> {
    let (Prim::Quot | Prim::Rem, [_, Expr::Const(by)]) = (prim, args) else { return None };
    let one = Scalar::one(by.dtype());
    let positive = Prim::Ge.eval(&[*by, one]) == Some(Scalar::Bool(true));
    let single = Prim::Popcount.eval(&[*by]) == Some(one);
    (positive && single).then(|| Prim::Ctz.eval(&[*by]).map(Scalar::as_i64)).flatten()
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '(' || c == 'I')
}
