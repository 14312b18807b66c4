//! Loop IR to machine code in process, by Cranelift.
//!
//! Scalars are one SSA value, complex numbers two, vectors one of 128 bits; a vector of bools is a mask whose lanes
//! are as wide as 128 bits allow. Loops are emitted with the test at the bottom, conditions as chained branches, and
//! the index arithmetic in a form that folds into addressing modes.
//!
//! | file | holds |
//! |---|---|
//! | `code` | a module per kernel, and the memory it owns |
//! | `emit` | the state of one emission, buffers, addresses |
//! | `stmt`, `expr` | statements and expressions |
//! | `inputs` | numbers that are loaded where they are used |
//! | `scalar`, `complex`, `vector`, `cast` | primitives and conversions by kind of value |
//! | `wide` | loops with wider vectors, assembled as functions of their own |
//! | `watch` | requests to stop while it compiles |
//! | `divide` | division of integers, by constants above all |

mod addresses;
mod cast;
mod code;
mod complex;
mod divide;
mod emit;
mod expr;
mod inputs;
mod library;
mod mask;
mod scalar;
mod stmt;
mod vector;
mod watch;
mod wide;

use code::ClifCode;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use openwork_backend::{Backend, Compiled, Target};
use openwork_base::{Error, Result};
use openwork_loops::{BlockLength, LoopKernel, Wide};

/// The name of this component in internal errors.
pub(crate) const STEP: &str = "clif";

/// Cranelift, tuned for speed of the code on this machine.
pub struct ClifBackend {
    isa: OwnedTargetIsa,
    wide: Option<Wide>,
    blocks: BlockLength,
}

impl ClifBackend {
    /// A compiler for this machine.
    ///
    /// # Errors
    /// A bug when Cranelift does not know the machine or refuses our settings.
    pub fn new() -> Result<ClifBackend> {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ] {
            flags.set(name, value).map_err(|e| Error::bug(STEP, e.to_string(), ""))?;
        }
        let isa = cranelift_native::builder()
            .map_err(|e| Error::bug(STEP, e, ""))?
            .finish(settings::Flags::new(flags))
            .map_err(|e| Error::bug(STEP, e.to_string(), ""))?;
        let wide = wide::widest(&*isa);
        Ok(ClifBackend { isa, wide, blocks: BlockLength::default() })
    }
    /// The same with other vectors for `wide` loops, at most as wide as those of the machine; with shorter loops, or none.
    /// For tests and measurements.
    #[must_use]
    pub fn with_wide(self, asked: Option<Wide>) -> ClifBackend {
        let own = self.wide.unwrap_or(Wide::new(0, 0));
        let wide = asked.filter(|w| w.bytes <= own.bytes);
        ClifBackend { wide: wide.map(|w| Wide { functions: own.functions, ..w }), ..self }
    }
    /// The same with sums in blocks of another length. For tests.
    #[must_use]
    pub fn with_blocks(self, blocks: BlockLength) -> ClifBackend {
        ClifBackend { blocks, ..self }
    }
    /// The machine code of a kernel as assembly text.
    ///
    /// # Errors
    /// A bug when the kernel is not valid.
    pub fn disassembly(&self, kernel: &LoopKernel) -> Result<String> {
        code::disassembly(&self.isa, self.wide, kernel)
    }
}

impl Backend for ClifBackend {
    fn name(&self) -> &'static str {
        "clif"
    }
    fn identity(&self) -> String {
        let on: Vec<String> = self.isa.isa_flags().iter().map(ToString::to_string).collect();
        let wide = self.wide.map_or(0, |w| w.bytes);
        format!("clif {} {} {} wide {wide}", cranelift_codegen::VERSION, self.isa.triple(), on.join(" "))
    }
    fn target(&self) -> Target {
        Target {
            vector_bytes: 16,
            accumulators: 4,
            wide: self.wide,
            blocks: self.blocks,
            fuses: self.isa.has_native_fma(),
        }
    }
    fn compile(&self, kernel: &LoopKernel) -> Result<Box<dyn Compiled>> {
        Ok(Box::new(ClifCode::new(&self.isa, self.wide, kernel)?))
    }
    fn listing(&self, kernel: &LoopKernel) -> Result<String> {
        code::listing(&self.isa, self.wide, kernel)
    }
    fn assembly(&self, kernel: &LoopKernel) -> Result<Option<String>> {
        self.disassembly(kernel).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::ClifBackend;
    use openwork_algebra::{DType, Prim};
    use openwork_backend::Backend;
    use openwork_backend::conformance::{csr_spmv, sparse_add};
    use openwork_base::Error;
    use openwork_loops::build::{call, for_each, int, load, store, var};
    use openwork_loops::{BufRole, Expr, LoopKernel, Wide};

    openwork_backend::conformance!(ClifBackend::new().expect("a known machine"));

    /// The narrower of the two kinds of vectors that we assemble.
    mod half {
        use super::*;

        fn backend() -> ClifBackend {
            let wide = Some(Wide::new(32, 256));
            ClifBackend::new().expect("a known machine").with_wide(wide)
        }

        #[test]
        fn every_wide_loop() {
            openwork_backend::conformance::every_wide_loop(&backend());
        }
        #[test]
        fn every_row() {
            openwork_backend::conformance::every_row(&backend());
        }
        #[test]
        fn every_slot() {
            openwork_backend::conformance::every_slot(&backend());
        }
        #[test]
        fn every_wide_function() {
            openwork_backend::conformance::every_wide_function(&backend());
        }

        #[test]
        fn strict_wide_loops() {
            openwork_backend::conformance::strict_wide_loops(&backend());
        }
    }

    #[test]
    fn no_form_of_wide_loop_is_too_much() {
        let b = ClifBackend::new().expect("a known machine");
        for bytes in [32, 64].into_iter().filter(|n| b.wide.is_some_and(|w| w.bytes >= *n)) {
            let wide = Wide::new(bytes, 1);
            let b = ClifBackend::new().expect("a known machine").with_wide(Some(wide));
            for k in openwork_backend::conformance::wide_kernels(wide) {
                let text = b.disassembly(&k).expect("valid");
                let own = text.split_once("wide_0:").map_or("", |(_, own)| own);
                let shown = own.contains("ret") && own.contains("mm") && !own.contains("(bad)");
                assert!(shown, "{own}\n{}", openwork_loops::text::print(&k));
            }
        }
    }

    #[test]
    fn vectors_it_cannot_hold_are_refused_as_a_bug() {
        let b = ClifBackend::new().expect("a known machine");
        for (elem, lanes) in [(DType::F64, 4), (DType::F32, 2), (DType::C64, 2), (DType::C128, 2)] {
            let mut k = LoopKernel::new("wide");
            let (x, y) = (k.buf("x", elem, BufRole::In), k.buf("y", elem, BufRole::Out));
            k.body = vec![store(y, int(0), Expr::VLoad { buf: x, at: Box::new(int(0)), lanes })];
            assert!(matches!(b.compile(&k), Err(Error::Bug { .. })), "{elem}x{lanes}");
        }
    }

    /// `y[i] = prim(x[i], by)` in a loop.
    fn by_constant(prim: Prim, by: i64) -> LoopKernel {
        let mut k = LoopKernel::new("divide");
        let (x, y) = (k.buf("x", DType::I64, BufRole::In), k.buf("y", DType::I64, BufRole::Out));
        let (i, n) = (k.index("i"), k.param("n"));
        let body = vec![store(y, var(i), call(prim, load(x, var(i)), int(by)))];
        k.body = vec![for_each(i, int(0), var(n), body)];
        k
    }

    #[test]
    fn division_by_a_constant_is_neither_a_division_nor_a_choice() {
        let b = ClifBackend::new().expect("a known machine");
        for prim in [Prim::Quot, Prim::Rem] {
            for by in [i64::MIN, -7, -2, -1, 0, 1, 2, 3, 4, 7, 10, 641, 1 << 40, i64::MAX] {
                let text = b.listing(&by_constant(prim, by)).expect("valid");
                let found = ["div", "rem", "select"].map(|word| text.contains(word));
                assert_eq!(found, [false; 3], "{} {by}\n{text}", prim.name());
                let powers = by > 0 && by & (by - 1) == 0;
                assert!(!(powers && text.contains("mul")), "{} {by}\n{text}", prim.name());
            }
        }
    }

    #[test]
    fn thousands_of_kernels_come_and_go() {
        let b = ClifBackend::new().expect("a known machine");
        let k = csr_spmv(DType::I64, DType::F32);
        for _ in 0..2000 {
            drop(b.compile(&k).expect("valid"));
        }
    }

    #[test]
    fn listings_are_the_same_every_time() {
        let b = ClifBackend::new().expect("a known machine");
        let text = b.listing(&sparse_add()).expect("valid");
        assert_eq!(text, b.listing(&sparse_add()).expect("valid"));
        assert!(text.contains("call_indirect"), "{text}");
    }
}
