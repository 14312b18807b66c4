//! What this machine can do.

use cranelift_codegen::isa::{CallConv, TargetIsa};
use openwork_base::machine::threshold;
use openwork_loops::Wide;

/// A single loop is worth a call from so many bytes on; measured, see `docs/decisions/030-wide-loops.md`.
const LEAST: usize = 128;

/// The vectors that we assemble here: the widest of the machine, none where its calling convention is not System V's.
pub(crate) fn widest(isa: &dyn TargetIsa) -> Option<Wide> {
    let bytes = if isa.default_call_conv() == CallConv::SystemV { bytes() } else { None };
    bytes.map(|bytes| Wide {
        functions: super::library::functions(bytes),
        ..Wide::new(bytes, threshold(LEAST, 1))
    })
}

#[cfg(target_arch = "x86_64")]
fn bytes() -> Option<usize> {
    use std::arch::is_x86_feature_detected as has;
    if !(has!("avx2") && has!("fma") && has!("bmi2")) {
        return None;
    }
    Some(if has!("avx512f") && has!("avx512vl") { 64 } else { 32 })
}

#[cfg(not(target_arch = "x86_64"))]
fn bytes() -> Option<usize> {
    None
}
