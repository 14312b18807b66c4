//! The platform's library of functions of vectors: glibc's `libmvec`, at most 4 units in the last place off.

use openwork_algebra::{DType, Library};
use openwork_loops::wide::VectorFunctions;

/// Functions that are called for vectors; the library has each under the name that C has for it.
const CALLED: [Library; 22] = {
    use Library::*;
    [
        Cbrt, Exp, Exp2, Expm1, Log, Log2, Log10, Log1p, Sin, Cos, Tan, Arcsin, Arccos, Arctan, Sinh, Cosh,
        Tanh, Arcsinh, Arccosh, Arctanh, Arctan2, Power,
    ]
};

/// What can be called for vectors of `bytes`, in all dtypes.
pub(super) fn functions(bytes: usize) -> VectorFunctions {
    let there = |f: &Library| [DType::F32, DType::F64].iter().all(|t| function(*f, *t, bytes).is_some());
    CALLED.into_iter().filter(there).fold(VectorFunctions::NONE, VectorFunctions::and)
}

/// The address of a function of vectors of `bytes`.
pub(super) fn function(f: Library, elem: DType, bytes: usize) -> Option<usize> {
    let vectors = match bytes {
        32 => 'd',
        64 => 'e',
        _ => return None,
    };
    let (lanes, suffix) = (bytes / elem.size(), if elem == DType::F32 { "f" } else { "" });
    address(&format!("_ZGV{vectors}N{lanes}{}_{}{suffix}", "v".repeat(f.arity()), f.c_name()))
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
fn address(symbol: &str) -> Option<usize> {
    use std::sync::OnceLock;
    static OPENED: OnceLock<Option<libloading::Library>> = OnceLock::new();
    // SAFETY: glibc's own library; nothing runs when it is loaded, and it stays loaded.
    let library = OPENED.get_or_init(|| unsafe { libloading::Library::new("libmvec.so.1") }.ok()).as_ref()?;
    // SAFETY: only the address is taken.
    let found = unsafe { library.get::<unsafe extern "C" fn()>(symbol.as_bytes()) }.ok()?;
    Some(*found as usize)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")))]
fn address(_: &str) -> Option<usize> {
    None
}
