//! Loop IR to readable C11 with vector types, compiled by the system's compiler.
//!
//! [`CBackend::listing`](Backend::listing) needs no compiler; [`CBackend::compile`](Backend::compile) uses the one
//! named by `OPENWORK_CC`, or else `cc`, `gcc` or `clang`.
//!
//! | file | holds |
//! |---|---|
//! | `toolchain` | finding and running the compiler, loading what it made |
//! | `unit` | a whole translation unit: types, helpers, the function |
//! | `stmt`, `expr`, `vector` | statements, scalar expressions, vector expressions |
//! | `spell` | names, types, literals and precedence |
//! | `helpers` | the C functions that expressions may need |
//! | `program` | files for other programs: typed entry points, a header, a host that grows memory |
//! | `example` | a `main` that calls them |
//! | `given` | such files, perhaps edited by hand, called as kernels are |

mod example;
mod expr;
pub mod given;
mod helpers;
mod library;
pub mod program;
mod spell;
mod stmt;
mod toolchain;
mod unit;
mod vector;

pub use example::Example;
use openwork_backend::{Backend, Compiled, Target, machine_fuses};
use openwork_base::Result;
use openwork_loops::{BlockLength, LoopKernel};
use std::sync::OnceLock;
use toolchain::{LoadedCode, Toolchain};

/// The name of this component in internal errors.
pub(crate) const STEP: &str = "c";

/// The system's C compiler, which is looked for when something is to be compiled: printing needs none.
#[derive(Default)]
pub struct CBackend {
    hurried: bool,
    found: OnceLock<Result<Toolchain>>,
}

impl CBackend {
    /// There is always a backend; without a compiler it can only print.
    pub fn new() -> CBackend {
        CBackend::default()
    }
    /// The same, without optimisation: for tests that compile thousands of kernels and run each once.
    pub fn without_optimisation() -> CBackend {
        CBackend { hurried: true, ..CBackend::default() }
    }
    /// Whether kernels can be compiled.
    ///
    /// # Errors
    /// `E0501` when there is no C compiler.
    pub fn available(&self) -> Result<()> {
        self.toolchain().map(|_| ())
    }
    fn toolchain(&self) -> Result<&Toolchain> {
        let find =
            || Toolchain::find().map(|found| if self.hurried { found.without_optimisation() } else { found });
        self.found.get_or_init(find).as_ref().map_err(Clone::clone)
    }
}

/// Bytes of the widest vector registers.
fn vector_bytes() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx512f") {
            return 64;
        }
        if std::is_x86_feature_detected!("avx2") {
            return 32;
        }
    }
    16
}

impl Backend for CBackend {
    fn name(&self) -> &'static str {
        "c"
    }
    fn identity(&self) -> String {
        match self.toolchain() {
            Ok(t) => format!("c {} vectors {}", t.identity(), vector_bytes()),
            Err(_) => "c without compiler".to_string(),
        }
    }
    fn target(&self) -> Target {
        let (vector_bytes, blocks) = (vector_bytes(), BlockLength::default());
        Target { vector_bytes, accumulators: 4, wide: None, blocks, fuses: machine_fuses() }
    }
    fn compile(&self, kernel: &LoopKernel) -> Result<Box<dyn Compiled>> {
        let toolchain = self.toolchain()?;
        let unit = unit::print(kernel)?;
        Ok(Box::new(LoadedCode::new(toolchain, &unit)?))
    }
    fn compile_all(&self, kernels: &[&LoopKernel]) -> Result<Vec<Box<dyn Compiled>>> {
        let toolchain = self.toolchain()?;
        let (text, functions) = unit::print_all(kernels)?;
        let all = LoadedCode::load(toolchain, &text, &functions)?;
        Ok(all.into_iter().map(|code| Box::new(code) as Box<dyn Compiled>).collect())
    }
    fn listing(&self, kernel: &LoopKernel) -> Result<String> {
        Ok(unit::print(kernel)?.text)
    }
}

#[cfg(test)]
mod tests;
