//! What every backend offers: [`Backend`] compiles a loop-IR kernel into [`Compiled`] code, which is called through
//! one calling convention ([`abi`]).

pub mod abi;
pub mod conformance;
pub mod harness;
pub mod interp;

pub use abi::{BufferArg, Call};
pub use interp::InterpBackend;

use openwork_algebra::DType;
use openwork_base::Result;
use openwork_loops::{BlockLength, LoopKernel, Status, Wide};

/// Facts about the code a backend makes, for the passes that run before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Bytes of the widest vector the backend takes (16 for Cranelift); 0 when it takes none. Vectors of complex
    /// numbers are never taken; a vector of bools goes with vectors of the numbers it selects from.
    pub vector_bytes: usize,
    /// Independent accumulators that a vectorised reduction should keep.
    pub accumulators: usize,
    /// The vectors that the backend assembles itself for [`wide`](openwork_loops::wide) loops, if any.
    pub wide: Option<Wide>,
    /// How long blocks of sums in single precision are.
    pub blocks: BlockLength,
    /// Whether the machine rounds a product together with the sum it joins, in one instruction; where it does not, the
    /// backend gets no [`Prim::Fused`](openwork_algebra::Prim::Fused).
    pub fuses: bool,
}

/// Whether this machine has instructions for a product and a sum that are rounded once.
pub fn machine_fuses() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}

/// A way to run loop IR.
pub trait Backend: Send + Sync {
    /// Short name: `clif`, `c`, `interp`.
    fn name(&self) -> &'static str;
    /// Name, version and CPU features: everything besides the kernel that decides the code.
    fn identity(&self) -> String;
    /// What the passes before it may assume.
    fn target(&self) -> Target;
    /// The lane counts of vectors of `elem` that the backend takes, widest first.
    fn lanes(&self, elem: DType) -> Vec<u8> {
        let widest = if elem.is_complex() { 0 } else { self.target().vector_bytes / elem.size() };
        std::iter::successors(Some(widest), |n| Some(n / 2))
            .take_while(|n| *n >= 2 && n * elem.size() >= 16)
            .map(|n| n as u8)
            .collect()
    }
    /// Makes a verified kernel callable.
    ///
    /// # Errors
    /// `E0501` when the backend's tools are missing or fail; a bug when the kernel is not valid.
    fn compile(&self, kernel: &LoopKernel) -> Result<Box<dyn Compiled>>;
    /// Makes several verified kernels callable, together where that is cheaper.
    ///
    /// # Errors
    /// As [`Backend::compile`], for any of them.
    fn compile_all(&self, kernels: &[&LoopKernel]) -> Result<Vec<Box<dyn Compiled>>> {
        kernels.iter().map(|k| self.compile(k)).collect()
    }
    /// The code as text (C, Cranelift IR, loop IR).
    ///
    /// # Errors
    /// A bug when the kernel is not valid.
    fn listing(&self, kernel: &LoopKernel) -> Result<String>;
    /// All machine code of a kernel as assembly text; nothing where the backend makes none itself.
    ///
    /// # Errors
    /// A bug when the kernel is not valid.
    fn assembly(&self, kernel: &LoopKernel) -> Result<Option<String>> {
        let _ = kernel;
        Ok(None)
    }
}

/// Callable code; it frees its memory when dropped.
pub trait Compiled: Send + Sync {
    /// About how many bytes it takes, with what it needs beside the code: caches go by it.
    fn bytes(&self) -> usize;
    /// Runs the kernel once. Every [`Status`] is a regular end.
    ///
    /// # Errors
    /// A bug of ours: the interpreter caught a bad access, or compiled code returned an unknown status.
    ///
    /// # Safety
    /// `call` must describe the kernel that was compiled: as many parameters and buffers as it declares, in order;
    /// every buffer pointer valid for its length and element type; `Out` and `Temp` buffers not aliased; index
    /// arrays such that the kernel stays in bounds (which checked tensors guarantee).
    unsafe fn run(&self, call: &mut Call<'_>) -> Result<Status>;
}
