//! Functions of the library: instructions, and calls for whole vectors.

use super::encode::{MOV, Mem, Prefix, RSP, Rm, STORE, Vec_};
use super::registers::Full;
use super::values::Lane;
use super::vectors::Than;
use super::{Asm, Left, library};
use openwork_algebra::{DType, Library};

impl Asm<'_> {
    /// `to = f(args)`; the arguments may be lost where they are owned.
    pub(super) fn function(&mut self, f: Library, to: Vec_, args: &[Lane]) -> Result<(), Full> {
        match (f, args) {
            (Library::Sqrt, [x]) => self.put(self.float(0x51), to, 0, Rm::Reg(x.reg)),
            (Library::Rint, [x]) => self.round(to, x.reg, 0),
            (Library::Floor, [x]) => self.round(to, x.reg, 1),
            (Library::Ceil, [x]) => self.round(to, x.reg, 2),
            (Library::Trunc, [x]) => self.round(to, x.reg, 3),
            (Library::Copysign, [x, y]) => {
                let t = self.registers.vector()?;
                self.bits_of_both(to, x.reg, y.reg, self.sign.ok_or(Full)?, t);
                self.registers.free_vector(t);
            }
            (Library::Sign, [x]) => return self.sign(to, x.reg),
            (Library::Fmin, [x, y]) => return self.number(to, x.reg, y.reg, Than::Less),
            (Library::Fmax, [x, y]) => return self.number(to, x.reg, y.reg, Than::Greater),
            (f, args) => return self.call(f, to, args),
        }
        Ok(())
    }
    /// One with the sign of `x`; 0 of zeros, and NaN of NaN.
    fn sign(&mut self, to: Vec_, x: Vec_) -> Result<(), Full> {
        let (sign, one, zero) = (self.sign.ok_or(Full)?, self.registers.vector()?, self.registers.vector()?);
        let bits = if self.leaf.elem == DType::F64 { 1f64.to_bits() } else { 1f32.to_bits().into() };
        self.broadcast_bits(one, bits)?;
        self.signed_as(zero, one, x, sign);
        self.copy(one, zero);
        self.zero(zero);
        // What is not NaN, and then what is no zero either.
        let t = self.registers.vector()?;
        self.copy(t, zero);
        self.copy_where(x, Than::Apart, zero, t, one)?;
        self.copy_where(x, Than::Unordered, x, t, x)?;
        self.copy(to, t);
        [one, zero, t].into_iter().for_each(|r| self.registers.free_vector(r));
        Ok(())
    }
    /// The second of two, where it is less or greater, or the first one is NaN.
    fn number(&mut self, to: Vec_, x: Vec_, y: Vec_, than: Than) -> Result<(), Full> {
        let t = self.registers.vector()?;
        self.copy(t, x);
        self.copy_where(y, than, x, t, y)?;
        self.copy_where(x, Than::Unordered, x, t, y)?;
        self.copy(to, t);
        self.registers.free_vector(t);
        Ok(())
    }
    /// A call for a whole vector. What lives in registers that the function may change is on the stack meanwhile: below the
    /// frame, so that nothing is addressed differently.
    fn call(&mut self, f: Library, to: Vec_, args: &[Lane]) -> Result<(), Full> {
        let function = library::function(f, self.leaf.elem, self.bytes).ok_or(Full)?;
        let (general, mut vectors) = self.registers.list_clobbered();
        vectors.retain(|r| *r != to && !args.iter().any(|a| a.owned && a.reg == *r));
        let size = (vectors.len() * self.bytes + 8 * general.len()) as i32;
        // Sixteen bytes from one to the next boundary.
        let size = size + (-(self.depth + size)).rem_euclid(16);
        let bytes = self.bytes;
        let place = |n: usize| Mem::new(RSP, (n * bytes) as i32);
        let above = |n: usize| Mem::new(RSP, (vectors.len() * bytes + 8 * n) as i32);
        if size > 0 {
            self.code.add_constant(RSP, -size);
        }
        for (n, r) in vectors.iter().enumerate() {
            self.put(self.float(0x11), *r, 0, Rm::Mem(place(n)));
        }
        for (n, r) in general.iter().enumerate() {
            self.code.op(STORE, *r, Rm::Mem(above(n)));
        }
        self.pass(args)?;
        self.code.call(function);
        self.copy(to, 0);
        for (n, r) in vectors.iter().enumerate() {
            self.put(self.float(0x10), *r, 0, Rm::Mem(place(n)));
        }
        for (n, r) in general.iter().enumerate() {
            self.code.op(MOV, *r, Rm::Mem(above(n)));
        }
        if size > 0 {
            self.code.add_constant(RSP, size);
        }
        // Masks are lost, too.
        if self.masked == Some(Left::K1) && self.prefix == Prefix::Evex {
            self.leave_out()?;
        }
        Ok(())
    }
    /// Arguments where the function looks for them. Lanes that are left out have those of the first one, with which it has
    /// no more to do than with this.
    fn pass(&mut self, args: &[Lane]) -> Result<(), Full> {
        if let ([x], None) = (args, self.masked) {
            self.copy(0, x.reg);
            return Ok(());
        }
        let mask = match self.masked {
            Some(Left::By(mask) | Left::Read(mask)) => Some(mask),
            Some(Left::K1 | Left::Single) | None => None,
        };
        // Everything else is on the stack.
        let mut free = (2..16).filter(|r| Some(*r) != mask && !args.iter().any(|a| a.reg == *r));
        let mut passed = Vec::new();
        for arg in args {
            let r = free.next().ok_or(Full)?;
            if self.masked.is_some() {
                self.broadcast(r, Rm::Reg(arg.reg));
                self.merge(r, arg.reg);
            } else {
                self.copy(r, arg.reg);
            }
            passed.push(r);
        }
        passed.into_iter().enumerate().for_each(|(n, r)| self.copy(n as Vec_, r));
        Ok(())
    }
}
