//! Vector expressions, with the vector extensions of gcc and clang.
//!
//! A vector of bools is a mask of signed integers, 0 or -1 in every lane, as wide as the numbers it came from; it is
//! converted where another width is needed.

use crate::expr::{infix, join};
use crate::spell::{ExprText, Prec, c_type, mask_lane};
use crate::unit::CPrinter;
use openwork_algebra::{DType, DTypeKind, Prim};
use openwork_base::Result;
use openwork_loops::{BufId, Expr, Ty};

/// A tree of `op` over lanes of `v`: short chains of dependent operations.
fn tree(lanes: std::ops::Range<u8>, join: &mut impl FnMut(String, String) -> String, of: &str) -> String {
    if lanes.len() == 1 {
        return format!("{of}[{}]", lanes.start);
    }
    let middle = lanes.start + lanes.len() as u8 / 2;
    let (a, b) = (tree(lanes.start..middle, join, of), tree(middle..lanes.end, join, of));
    join(a, b)
}

impl CPrinter<'_> {
    /// The C type of a vector of numbers, defined on first use.
    pub(crate) fn vector_type(&mut self, ty: Ty) -> Result<String> {
        let (elem, lanes) = (ty.elem, ty.lanes);
        if elem.is_complex() || elem == DType::Bool || !lanes.is_power_of_two() || lanes < 2 {
            return self.bug(format!("no vector {ty:?}"));
        }
        let (name, scalar, size) = (format!("{elem}x{lanes}"), c_type(elem), elem.size());
        let bytes = size * lanes as usize;
        self.helper(&name, || {
            format!(
                "typedef {scalar} {name} __attribute__((vector_size({bytes})));\n\
                 typedef {scalar} {name}_any __attribute__((vector_size({bytes}), aligned({size}), may_alias));\n"
            )
        });
        Ok(name)
    }
    /// The C type of a mask.
    pub(crate) fn mask_type(&mut self, bytes: usize, lanes: u8) -> Result<String> {
        self.vector_type(Ty::vector(mask_lane(bytes), lanes))
    }
    fn vector_fn(
        &mut self,
        verb: &str,
        ty: Ty,
        define: impl FnOnce(&str, &str, &str) -> String,
    ) -> Result<String> {
        let (v, s) = (self.vector_type(ty)?, c_type(ty.elem));
        let name = format!("{verb}_{v}");
        self.helper(&name, || format!("static inline {}", define(&name, &v, s)));
        Ok(name)
    }
    fn load_fn(&mut self, ty: Ty) -> Result<String> {
        self.vector_fn("load", ty, |name, v, s| {
            format!("{v} {name}(const {s} *p)\n{{\n    return *(const {v}_any *)p;\n}}\n")
        })
    }
    fn store_fn(&mut self, ty: Ty) -> Result<String> {
        self.vector_fn("store", ty, |name, v, s| {
            format!("void {name}({s} *p, {v} x)\n{{\n    *({v}_any *)p = x;\n}}\n")
        })
    }
    fn splat_fn(&mut self, ty: Ty) -> Result<String> {
        self.vector_fn("splat", ty, |name, v, s| {
            let all = vec!["x"; ty.lanes.into()].join(", ");
            format!("{v} {name}({s} x)\n{{\n    return ({v}){{{all}}};\n}}\n")
        })
    }
    fn select_fn(&mut self, ty: Ty) -> Result<String> {
        let m = self.mask_type(ty.elem.size(), ty.lanes)?;
        self.vector_fn("select", ty, |name, v, _| {
            format!(
                "{v} {name}({m} c, {v} a, {v} b)\n{{\n    return ({v})((c & ({m})a) | (~c & ({m})b));\n}}\n"
            )
        })
    }
    fn extremum_fn(&mut self, prim: Prim, ty: Ty) -> Result<String> {
        let select = self.select_fn(ty)?;
        let op = if prim == Prim::Min { "<" } else { ">" };
        let cond = if ty.elem.is_float() { format!("(a {op} b) | (a != a)") } else { format!("a {op} b") };
        self.vector_fn(prim.name(), ty, |name, v, _| {
            format!("{v} {name}({v} a, {v} b)\n{{\n    return {select}({cond}, a, b);\n}}\n")
        })
    }
    fn abs_fn(&mut self, ty: Ty) -> Result<String> {
        let m = self.mask_type(ty.elem.size(), ty.lanes)?;
        let select = self.select_fn(ty)?;
        self.vector_fn("abs", ty, |name, v, _| {
            let body = match ty.elem.kind() {
                // The sign bit is what `-0.0` has and `0.0` has not.
                DTypeKind::Float => format!("({v})(({m})a & ~({m})-({v}){{0}})"),
                DTypeKind::Signed | DTypeKind::Unsigned | DTypeKind::Bool | DTypeKind::Complex => {
                    format!("{select}(a < ({v}){{0}}, -a, a)")
                }
            };
            format!("{v} {name}({v} a)\n{{\n    return {body};\n}}\n")
        })
    }
    /// A function of integers, lane by lane.
    fn lanes_fn(&mut self, prim: Prim, ty: Ty) -> Result<String> {
        let one = self.numeric_helper(prim, ty.elem);
        self.vector_fn(prim.name(), ty, |name, v, _| {
            let (params, args) = match prim.arity() {
                1 => (format!("{v} a"), vec!["a"]),
                _ => (format!("{v} a, {v} b"), vec!["a", "b"]),
            };
            let lane = |n| args.iter().map(|a| format!("{a}[{n}]")).collect::<Vec<_>>().join(", ");
            let lanes: Vec<String> = (0..ty.lanes).map(|n| format!("{one}({})", lane(n))).collect();
            format!("{v} {name}({params})\n{{\n    return ({v}){{{}}};\n}}\n", lanes.join(", "))
        })
    }
    /// The same function of three numbers in every lane.
    pub(crate) fn fused_lanes(&mut self, one: &str, ty: Ty) -> Result<String> {
        self.vector_fn("fused", ty, |name, v, _| {
            let lanes: Vec<String> =
                (0..ty.lanes).map(|n| format!("{one}(x[{n}], y[{n}], z[{n}])")).collect();
            format!("{v} {name}({v} x, {v} y, {v} z)\n{{\n    return ({v}){{{}}};\n}}\n", lanes.join(", "))
        })
    }
    /// `&name[at]`.
    fn address(&mut self, buf: BufId, at: &Expr) -> Result<String> {
        let (name, at) = (self.buf(buf)?, self.index(at)?);
        Ok(format!("&{name}[{}]", at.text))
    }
    /// A vector of consecutive elements.
    pub(crate) fn vload(&mut self, buf: BufId, at: &Expr, lanes: u8) -> Result<ExprText> {
        let place = self.address(buf, at)?;
        let ty = Ty::vector(self.k.bufs[buf].elem, lanes);
        let load = self.load_fn(ty)?;
        Ok(ExprText::atom(format!("{load}({place})"), ty))
    }
    /// A scalar in every lane.
    pub(crate) fn splat(&mut self, lanes: u8, arg: &Expr) -> Result<ExprText> {
        let x = self.expr(arg)?;
        let ty = Ty::vector(x.ty.elem, lanes);
        let splat = self.splat_fn(ty)?;
        Ok(ExprText::atom(format!("{splat}({})", x.text), ty))
    }
    /// One scalar per lane.
    pub(crate) fn pack(&mut self, lanes: &[Expr]) -> Result<ExprText> {
        let texts = lanes.iter().map(|l| self.expr(l)).collect::<Result<Vec<_>>>()?;
        let Some(first) = texts.first() else { return self.bug("an empty pack") };
        let ty = Ty::vector(first.ty.elem, texts.len() as u8);
        let v = self.vector_type(ty)?;
        let list: Vec<&str> = texts.iter().map(|t| t.text.as_str()).collect();
        Ok(ExprText::atom(format!("({v}){{{}}}", list.join(", ")), ty))
    }
    /// All lanes combined.
    pub(crate) fn fold(&mut self, prim: Prim, arg: &Expr) -> Result<ExprText> {
        let ty = match self.k.ty(arg) {
            Ok(ty) if prim.arity() == 2 && prim.result(ty.elem) == Some(ty.elem) => ty,
            Ok(ty) => return self.bug(format!("fold by {} over {ty:?}", prim.name())),
            Err(e) => return self.bug(e),
        };
        let scalar = Ty::scalar(ty.elem);
        let (x, shown) = if ty.elem == DType::Bool {
            let bytes = self.mask_bytes(arg)?;
            (self.mask(arg, bytes)?, Ty::vector(mask_lane(bytes), ty.lanes))
        } else {
            (self.expr(arg)?, ty)
        };
        let v = self.vector_type(shown)?;
        let mut failed = None;
        let mut combine = |a: String, b: String| {
            let [a, b] = [a, b].map(|t| match ty.elem {
                // A lane of a mask is -1; as a bool it is compared with 0.
                DType::Bool if t.starts_with("v[") => {
                    ExprText { text: format!("{t} != 0"), prec: Prec::Equality, ty: scalar }
                }
                _ if t.starts_with("v[") => ExprText::atom(t, scalar),
                _ => ExprText { text: t, prec: Prec::Choice, ty: scalar },
            });
            self.apply(prim, &[a, b]).map(|t| t.text).unwrap_or_else(|e| {
                failed = Some(e);
                String::new()
            })
        };
        let body = tree(0..ty.lanes, &mut combine, "v");
        if let Some(e) = failed {
            return Err(e);
        }
        let (name, s) =
            (format!("fold_{}_{}{v}", prim.name(), if ty == shown { "" } else { "mask_" }), c_type(ty.elem));
        self.helper(&name, || format!("static inline {s} {name}({v} v)\n{{\n    return {body};\n}}\n"));
        Ok(ExprText::atom(format!("{name}({})", x.text), scalar))
    }
    /// A primitive on vectors; the result may be a mask only where the caller asks for one (see [`Self::mask`]).
    pub(crate) fn vector_call(&mut self, prim: Prim, args: &[Expr], ty: Ty) -> Result<ExprText> {
        if prim.result(ty.elem).is_none_or(|r| r == DType::Bool) {
            return self.bug(format!("{} of {ty:?} as a number", prim.name()));
        }
        if prim == Prim::Select {
            let c = self.mask(&args[0], ty.elem.size())?;
            let (a, b) = (self.print_typed(&args[1], ty)?, self.print_typed(&args[2], ty)?);
            let select = self.select_fn(ty)?;
            return Ok(ExprText::atom(format!("{select}({}, {}, {})", c.text, a.text, b.text), ty));
        }
        let texts = args.iter().map(|a| self.print_typed(a, ty)).collect::<Result<Vec<_>>>()?;
        self.vector_apply(prim, &texts, ty)
    }
    /// A primitive on vectors of numbers that gives numbers.
    pub(crate) fn vector_apply(&mut self, prim: Prim, args: &[ExprText], ty: Ty) -> Result<ExprText> {
        if let Some((op, prec)) = infix(prim, ty.elem) {
            return Ok(join(op, prec, &args[0], &args[1], ty));
        }
        let name = match prim {
            Prim::Neg | Prim::Not => {
                let sign = if prim == Prim::Neg { "-" } else { "~" };
                let text = format!("{sign}{}", args[0].as_operand(Prec::Atom));
                return Ok(ExprText { text, prec: Prec::Unary, ty });
            }
            Prim::Abs if ty.elem.kind() == DTypeKind::Unsigned => return Ok(args[0].clone()),
            Prim::Abs => self.abs_fn(ty)?,
            Prim::Min | Prim::Max => self.extremum_fn(prim, ty)?,
            Prim::Library(_) | Prim::Choose | Prim::Defined(_) => {
                return self.bug(format!("{} of {ty:?}", prim.name()));
            }
            Prim::Quot | Prim::Rem | Prim::Shl | Prim::Shr | Prim::Ctz | Prim::Popcount => {
                self.lanes_fn(prim, ty)?
            }
            Prim::Times | Prim::Least | Prim::Most => self.lanes_fn(prim, ty)?,
            Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Fused
            | Prim::Div
            | Prim::And
            | Prim::Or
            | Prim::Xor
            | Prim::Select => {
                return self.bug(format!("{} of {ty:?}", prim.name()));
            }
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => {
                return self.bug(format!("{} of {ty:?}", prim.name()));
            }
        };
        let list: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
        Ok(ExprText::atom(format!("{name}({})", list.join(", ")), ty))
    }
    /// Converts a vector, not to bools.
    pub(crate) fn vector_cast(&mut self, to: DType, arg: &Expr, from: Ty) -> Result<ExprText> {
        let ty = Ty { elem: to, ..from };
        let v = self.vector_type(ty)?;
        if from.elem == DType::Bool {
            let bytes = self.mask_bytes(arg)?;
            let m = self.mask(arg, bytes)?;
            return Ok(ExprText::atom(
                format!("__builtin_convertvector(-{}, {v})", m.as_operand(Prec::Atom)),
                ty,
            ));
        }
        let x = self.expr(arg)?;
        if from.elem == to {
            return Ok(x);
        }
        if !(from.elem.is_float() && to.is_int()) {
            return Ok(ExprText::atom(format!("__builtin_convertvector({}, {v})", x.text), ty));
        }
        let (one, f) = (self.saturating_helper(to), self.vector_type(from)?);
        let name = format!("to_{v}_from_{f}");
        let lanes: Vec<String> = (0..ty.lanes).map(|n| format!("{one}(v[{n}])")).collect();
        self.helper(&name, || {
            format!("static inline {v} {name}({f} v)\n{{\n    return ({v}){{{}}};\n}}\n", lanes.join(", "))
        });
        Ok(ExprText::atom(format!("{name}({})", x.text), ty))
    }
    /// Stores a vector.
    pub(crate) fn store_vector(
        &mut self,
        buf: BufId,
        at: &Expr,
        val: &Expr,
        ty: Ty,
        reduce: Option<Prim>,
    ) -> Result<()> {
        let (x, place) = if ty.elem == DType::Bool {
            (
                self.stored_mask(buf, at, val, ty.lanes, reduce)?,
                format!("(int8_t *){}", self.address(buf, at)?),
            )
        } else {
            let factors = val.fused_factors().filter(|_| reduce == Some(Prim::Add));
            let mut x = match factors {
                Some([a, b]) => {
                    let texts =
                        [self.print_typed(a, ty)?, self.print_typed(b, ty)?, self.vload(buf, at, ty.lanes)?];
                    self.fused_sum(&texts)?
                }
                None => self.print_typed(val, ty)?,
            };
            if let Some(prim) = reduce.filter(|_| factors.is_none()) {
                if prim.arity() != 2 || prim.result(ty.elem) != Some(ty.elem) {
                    return self.bug(format!("{} of {ty:?}", prim.name()));
                }
                let old = self.vload(buf, at, ty.lanes)?;
                x = self.vector_apply(prim, &[old, x], ty)?;
            }
            (x, self.address(buf, at)?)
        };
        let store = self.store_fn(x.ty)?;
        self.line(&format!("{store}({place}, {});", x.text));
        Ok(())
    }
    /// The bytes 0 and 1 of a mask that goes to memory.
    fn stored_mask(
        &mut self,
        buf: BufId,
        at: &Expr,
        val: &Expr,
        lanes: u8,
        reduce: Option<Prim>,
    ) -> Result<ExprText> {
        let ty = Ty::vector(DType::I8, lanes);
        let mut x = self.mask(val, 1)?;
        if let Some(prim) = reduce {
            let old = Expr::VLoad { buf, at: Box::new(at.clone()), lanes };
            let old = self.mask(&old, 1)?;
            x = match CPrinter::mask_text(prim, &old, &x, ty) {
                Some(x) => x,
                None => return self.bug(format!("{} of bools", prim.name())),
            };
        }
        Ok(ExprText { text: format!("-{}", x.as_operand(Prec::Atom)), prec: Prec::Unary, ty })
    }
    /// Bytes per lane that a mask has without conversion.
    pub(crate) fn mask_bytes(&self, e: &Expr) -> Result<usize> {
        match e {
            Expr::Call { prim, args } if prim.is_comparison() => match self.k.ty(&args[0]) {
                Ok(ty) if ty.elem == DType::Bool => self.mask_bytes(&args[0]),
                Ok(ty) => Ok(ty.elem.size()),
                Err(e) => self.bug(e),
            },
            Expr::Call { prim: Prim::Select, args } => self.mask_bytes(&args[1]),
            Expr::Call { args, .. } => self.mask_bytes(&args[0]),
            Expr::Var(v) => Ok(self.masks.get(v).copied().unwrap_or(1)),
            Expr::Cast { arg, .. } => match self.k.ty(arg) {
                Ok(ty) if ty.elem == DType::Bool => self.mask_bytes(arg),
                Ok(ty) => Ok(ty.elem.size()),
                Err(e) => self.bug(e),
            },
            Expr::VLoad { .. } | Expr::Splat { .. } | Expr::Pack(_) => Ok(1),
            Expr::Const(_) | Expr::Load { .. } | Expr::AndAlso(..) | Expr::Fold { .. } => {
                self.bug("a scalar where a vector of bools is expected")
            }
        }
    }
    /// A vector of bools as a mask with lanes of `bytes`.
    pub(crate) fn mask(&mut self, e: &Expr, bytes: usize) -> Result<ExprText> {
        let lanes = match self.k.ty(e) {
            Ok(Ty { elem: DType::Bool, lanes }) if lanes > 1 => lanes,
            Ok(ty) => return self.bug(format!("{ty:?} where a vector of bools is expected")),
            Err(e) => return self.bug(e),
        };
        let natural = self.mask_bytes(e)?;
        let ty = Ty::vector(mask_lane(natural), lanes);
        let m = self.natural_mask(e, natural, ty)?;
        if natural == bytes {
            return Ok(m);
        }
        let wanted = Ty::vector(mask_lane(bytes), lanes);
        let name = self.vector_type(wanted)?;
        self.vector_type(ty)?;
        Ok(ExprText::atom(format!("__builtin_convertvector({}, {name})", m.text), wanted))
    }
    fn natural_mask(&mut self, e: &Expr, bytes: usize, ty: Ty) -> Result<ExprText> {
        let bytes_of = |x: &ExprText| format!("-(int8_t)({})", x.text);
        match e {
            Expr::Call { prim, args } => self.mask_call(*prim, args, bytes, ty),
            Expr::Var(v) => Ok(ExprText::atom(self.var(*v), ty)),
            Expr::Cast { arg, .. } => match self.k.ty(arg) {
                Ok(from) if from.elem != DType::Bool => {
                    let (x, v) = (self.expr(arg)?, self.vector_type(from)?);
                    Ok(ExprText {
                        text: format!("{} != ({v}){{0}}", x.as_operand(Prec::Sum)),
                        prec: Prec::Equality,
                        ty,
                    })
                }
                Ok(_) => self.mask(arg, bytes),
                Err(e) => self.bug(e),
            },
            Expr::VLoad { buf, at, lanes: _ } => {
                let (place, load) = (self.address(*buf, at)?, self.load_fn(ty)?);
                Ok(ExprText { text: format!("-{load}((const int8_t *){place})"), prec: Prec::Unary, ty })
            }
            Expr::Splat { lanes: _, arg } => {
                let (x, splat) = (self.print_typed(arg, Ty::BOOL)?, self.splat_fn(ty)?);
                Ok(ExprText::atom(format!("{splat}({})", bytes_of(&x)), ty))
            }
            Expr::Pack(lanes) => {
                let texts =
                    lanes.iter().map(|l| self.print_typed(l, Ty::BOOL)).collect::<Result<Vec<_>>>()?;
                let (list, v): (Vec<String>, _) =
                    (texts.iter().map(bytes_of).collect(), self.vector_type(ty)?);
                Ok(ExprText::atom(format!("({v}){{{}}}", list.join(", ")), ty))
            }
            Expr::Const(_) | Expr::Load { .. } | Expr::AndAlso(..) | Expr::Fold { .. } => {
                self.bug("a scalar where a vector of bools is expected")
            }
        }
    }
    fn mask_call(&mut self, prim: Prim, args: &[Expr], bytes: usize, ty: Ty) -> Result<ExprText> {
        let first = if prim == Prim::Select { args.get(1) } else { args.first() };
        let from = match first.map(|a| self.k.ty(a)) {
            Some(Ok(from)) if args.len() == prim.arity() => from,
            Some(Err(e)) => return self.bug(e),
            Some(Ok(_)) | None => return self.bug(format!("{} of {} arguments", prim.name(), args.len())),
        };
        if from.elem != DType::Bool {
            let (a, b) = (self.print_typed(&args[0], from)?, self.print_typed(&args[1], from)?);
            let Some((op, prec)) = infix(prim, from.elem) else { return self.bug("not a comparison") };
            return Ok(join(op, prec, &a, &b, ty));
        }
        let masks = args.iter().map(|a| self.mask(a, bytes)).collect::<Result<Vec<_>>>()?;
        if prim == Prim::Select {
            let [c, a, b] = [&masks[0], &masks[1], &masks[2]].map(|m| m.as_operand(Prec::Unary));
            return Ok(ExprText { text: format!("({c} & {a}) | (~({c}) & {b})"), prec: Prec::Or, ty });
        }
        match CPrinter::mask_text(prim, &masks[0], &masks[masks.len() - 1], ty) {
            Some(text) => Ok(text),
            None => self.bug(format!("{} of bools", prim.name())),
        }
    }
    /// A primitive on masks.
    fn mask_text(prim: Prim, x: &ExprText, y: &ExprText, ty: Ty) -> Option<ExprText> {
        let (a, b) = (x.as_operand(Prec::Unary), y.as_operand(Prec::Unary));
        let (text, prec) = match prim {
            Prim::Add | Prim::Or | Prim::Max => (format!("{a} | {b}"), Prec::Or),
            Prim::Mul | Prim::And | Prim::Min => (format!("{a} & {b}"), Prec::And),
            Prim::Xor | Prim::Ne => (format!("{a} ^ {b}"), Prec::Xor),
            Prim::Eq => (format!("~({a} ^ {b})"), Prec::Unary),
            Prim::Lt => (format!("~{a} & {b}"), Prec::And),
            Prim::Le => (format!("~{a} | {b}"), Prec::Or),
            Prim::Gt => (format!("{a} & ~{b}"), Prec::And),
            Prim::Ge => (format!("{a} | ~{b}"), Prec::Or),
            Prim::Not => (format!("~{a}"), Prec::Unary),
            Prim::Abs => return Some(x.clone()),
            Prim::Sub | Prim::Div | Prim::Neg | Prim::Select => return None,
            Prim::Fused | Prim::Times | Prim::Least | Prim::Most => return None,
            Prim::Quot
            | Prim::Rem
            | Prim::Shl
            | Prim::Shr
            | Prim::Ctz
            | Prim::Popcount
            | Prim::Library(_)
            | Prim::Choose
            | Prim::Defined(_) => return None,
        };
        Some(ExprText { text, prec, ty })
    }
}
