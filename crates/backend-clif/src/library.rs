//! Functions of the mathematical library: instructions where the machine has one, else calls of what
//! [`Library::entry`] names.

use crate::complex::ComplexParts;
use crate::emit::{Emit, Val, part_type};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, Signature, Value, types};
use openwork_algebra::library::Domain;
use openwork_algebra::{DType, DTypeKind, Library};
use openwork_base::Result;

impl Emit<'_, '_> {
    /// A function of complex scalars, or of the first one, by their parts.
    pub(crate) fn complex_library(
        &mut self,
        f: Library,
        elem: DType,
        first: ComplexParts,
        second: ComplexParts,
    ) -> Result<Val> {
        let part = elem.real();
        let ComplexParts { re: a, im: b } = first;
        if f.domain() == Domain::Test {
            let (re, im) = (self.test(f, part, a), self.test(f, part, b));
            let both = f == Library::Isfinite;
            return Ok(Val::One(if both { self.b.ins().band(re, im) } else { self.b.ins().bor(re, im) }));
        }
        match f {
            Library::Real => return Ok(Val::One(a)),
            Library::Imag => return Ok(Val::One(b)),
            Library::Conj => return Ok(Val::Pair(a, self.b.ins().fneg(b))),
            Library::Angle => return Ok(Val::One(self.library(Library::Arctan2, part, b, a)?)),
            _ => {}
        }
        let Some(entry) = f.complex_entry() else { return self.bug(format!("{} of {elem}", f.name())) };
        let mut signature = Signature::new(self.conv());
        signature.params.extend([AbiParam::new(types::F64); 4]);
        signature.returns.extend([AbiParam::new(types::F64); 2]);
        let signature = self.b.import_signature(signature);
        let entry = self.b.ins().iconst(types::I64, entry as i64);
        let single = elem == DType::C64;
        let args = [a, b, second.re, second.im]
            .map(|v| if single { self.b.ins().fpromote(types::F64, v) } else { v });
        let call = self.b.ins().call_indirect(signature, entry, &args);
        let (re, im) = (self.b.inst_results(call)[0], self.b.inst_results(call)[1]);
        let [re, im] = [re, im].map(|v| if single { self.b.ins().fdemote(types::F32, v) } else { v });
        Ok(Val::Pair(re, im))
    }
    /// A function of real scalars of dtype `elem`; of one argument, both are the same.
    pub(crate) fn library(&mut self, f: Library, elem: DType, x: Value, y: Value) -> Result<Value> {
        if f.result(elem).is_none() {
            return self.bug(format!("{} of {elem}", f.name()));
        }
        if f.domain() == Domain::Test {
            return Ok(self.test(f, elem, x));
        }
        if elem.is_float() {
            match f {
                Library::Sqrt => return Ok(self.b.ins().sqrt(x)),
                Library::Floor => return Ok(self.b.ins().floor(x)),
                Library::Ceil => return Ok(self.b.ins().ceil(x)),
                Library::Trunc => return Ok(self.b.ins().trunc(x)),
                Library::Rint => return Ok(self.b.ins().nearest(x)),
                Library::Copysign => return Ok(self.b.ins().fcopysign(x, y)),
                Library::Real | Library::Conj => return Ok(x),
                _ => {}
            }
        }
        let Some(entry) = f.entry(elem) else { return self.bug(format!("{} of {elem}", f.name())) };
        let ty = part_type(elem);
        // Narrow integers are passed as wide ones.
        let param = match elem.kind() {
            DTypeKind::Signed => AbiParam::new(ty).sext(),
            DTypeKind::Unsigned => AbiParam::new(ty).uext(),
            DTypeKind::Bool | DTypeKind::Float | DTypeKind::Complex => AbiParam::new(ty),
        };
        let mut signature = Signature::new(self.conv);
        signature.params.extend([param, param]);
        signature.returns.push(param);
        let signature = self.b.import_signature(signature);
        let entry = self.b.ins().iconst(types::I64, entry as i64);
        let call = self.b.ins().call_indirect(signature, entry, &[x, y]);
        Ok(self.b.inst_results(call)[0])
    }
    fn test(&mut self, f: Library, elem: DType, x: Value) -> Value {
        if !elem.is_float() {
            return match f {
                Library::Signbit if elem.kind() == DTypeKind::Signed => {
                    let zero = self.b.ins().iconst(part_type(elem), 0);
                    self.b.ins().icmp(IntCC::SignedLessThan, x, zero)
                }
                Library::Isfinite => self.b.ins().iconst(types::I8, 1),
                _ => self.b.ins().iconst(types::I8, 0),
            };
        }
        let inf = self.float_const(elem, f64::INFINITY);
        match f {
            Library::Isnan => self.b.ins().fcmp(FloatCC::Unordered, x, x),
            Library::Isinf => {
                let size = self.b.ins().fabs(x);
                self.b.ins().fcmp(FloatCC::Equal, size, inf)
            }
            Library::Isfinite => {
                let size = self.b.ins().fabs(x);
                self.b.ins().fcmp(FloatCC::LessThan, size, inf)
            }
            _ => {
                let int = part_type(elem).as_int();
                let bits = self.b.ins().bitcast(int, MemFlagsData::new(), x);
                let zero = self.b.ins().iconst(int, 0);
                self.b.ins().icmp(IntCC::SignedLessThan, bits, zero)
            }
        }
    }
}
