//! The tests every backend passes, written once.
//!
//! ```ignore
//! openwork_backend::conformance!(MyBackend::new().unwrap());
//! ```
//!
//! expands to one `#[test]` per function of this module's children. A failure panics with the kernel's listing.

mod breaks;
mod control;
mod functions;
mod fused;
mod kernels;
mod random;
mod scalars;
mod vectors;
mod wide;

pub use breaks::*;
pub use control::*;
pub use functions::*;
pub use fused::*;
pub use kernels::*;
pub use random::*;
pub use scalars::*;
pub use vectors::*;
pub use wide::*;

use crate::Backend;
use crate::harness::{Growth, HarnessOutcome, run};
use num_complex::Complex64;
use openwork_algebra::{DType, Scalar};
use openwork_loops::{LoopKernel, Status};

/// Expands to the conformance tests of one backend, given an expression that makes it.
#[macro_export]
macro_rules! conformance {
    ($backend:expr) => {
        $crate::conformance!(@each $backend;
            every_primitive_on_every_dtype
            integers_by_constants
            extrema_beside_constants
            every_constant
            every_cast
            every_load_and_store
            every_reducing_store
            for_loops_of_any_extent
            nested_loops
            while_loops
            if_and_else
            breaks_leave_the_innermost_loop
            breaks_beside_other_ends
            and_also_guards_a_load
            buffers_without_number
            numbers_that_are_read_first
            conditions_of_every_shape
            reserve_grows_by_doubling
            reserve_passes_failure_on
            lengths_reach_the_caller
            failures_reach_the_caller
            polls_end_a_kernel_that_is_told_to_stop
            a_poll_looks_again_every_time
            products_that_are_rounded_with_sums
            every_vector_primitive
            every_vector_fold
            truth_values_in_memory
            every_vector_cast
            vector_memory_and_construction
            every_wide_loop
            every_row
            every_slot
            every_wide_function
            strict_wide_loops
            spmv_over_csr
            vectorised_spmv
            sparse_addition_with_appended_output
            sort_in_a_temporary
            random_kernels_agree_with_the_interpreter);
    };
    (@each $backend:expr; $($test:ident)*) => {
        $(#[test]
        fn $test() {
            $crate::conformance::$test(&$backend);
        })*
    };
}

/// Compiles and runs; any failure panics with the listing.
pub(crate) fn execute(
    b: &dyn Backend,
    k: &LoopKernel,
    bufs: &[Vec<Scalar>],
    params: &[i64],
    g: Growth,
) -> HarnessOutcome {
    let fail = |e: openwork_base::Error| -> HarnessOutcome {
        panic!("{} on {}: {e}\n{}", k.name, b.name(), b.listing(k).unwrap_or_else(|e| e.to_string()))
    };
    match b.compile(k) {
        Ok(code) => run(&*code, k, bufs, params, g).unwrap_or_else(fail),
        Err(e) => fail(e),
    }
}

/// Like [`execute`] with a willing host and an expected success.
pub(crate) fn succeed(
    b: &dyn Backend,
    k: &LoopKernel,
    bufs: &[Vec<Scalar>],
    params: &[i64],
) -> HarnessOutcome {
    let out = execute(b, k, bufs, params, Growth::Doubling);
    assert_eq!(out.status, Status::Ok, "{}", k.name);
    out
}

/// `n` zeros.
pub(crate) fn zeros(elem: DType, n: usize) -> Vec<Scalar> {
    vec![Scalar::zero(elem); n]
}

/// Index values.
pub(crate) fn indices(values: &[i64]) -> Vec<Scalar> {
    values.iter().map(|n| Scalar::I64(*n)).collect()
}

/// Values of `elem` where arithmetic is most likely to be wrong.
pub(crate) fn edges(elem: DType) -> Vec<Scalar> {
    if elem == DType::Bool {
        return vec![Scalar::Bool(false), Scalar::Bool(true)];
    }
    let small = [0i64, 1, 2, 3, -1, -2, 7, 100];
    let mut out: Vec<Scalar> = small.iter().map(|n| Scalar::from_i64(*n, elem)).collect();
    if elem.is_int() {
        let (lo, hi) = (Scalar::lowest(elem).expect("ordered"), Scalar::highest(elem).expect("ordered"));
        out.extend([lo, hi]);
        out.extend([Scalar::I64(lo.as_i64().wrapping_add(1)).cast(elem)]);
        out.extend([Scalar::I64(hi.as_i64().wrapping_sub(1)).cast(elem)]);
        return out;
    }
    let halves = [0.5, -0.5, 1.5, -2.25];
    if elem.is_complex() {
        // Sums of products of these are exact, so that contraction cannot show.
        for (re, im) in [(1.0, 2.0), (-0.5, 0.25), (3.0, -4.0), (0.0, -1.0), (-0.0, 0.0)] {
            out.push(Scalar::C128(Complex64::new(re, im)).cast(elem));
        }
        for (re, im) in [(f64::INFINITY, 1.0), (f64::NAN, 1.0), (1.0, f64::NAN), (0.0, f64::NEG_INFINITY)] {
            out.push(Scalar::C128(Complex64::new(re, im)).cast(elem));
        }
        return out;
    }
    out.extend(halves.iter().map(|x| Scalar::from_f64(*x, elem)));
    let special =
        [-0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, 127.5, 128.0, -129.0, 255.9, 256.0];
    out.extend(special.iter().map(|x| Scalar::from_f64(*x, elem)));
    let far = [65536.0, -40000.0, 2147483648.0, -2147483904.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19, 1e30];
    out.extend(far.iter().map(|x| Scalar::from_f64(*x, elem)));
    match elem {
        DType::F32 => out.extend([f32::MAX, f32::MIN_POSITIVE, f32::EPSILON, 0.1].map(Scalar::F32)),
        _ => out.extend([f64::MAX, f64::MIN_POSITIVE, f64::EPSILON, 0.1].map(Scalar::F64)),
    }
    out
}

/// Every pair of `edges`, as two columns.
pub(crate) fn edge_pairs(elem: DType) -> (Vec<Scalar>, Vec<Scalar>) {
    let e = edges(elem);
    e.iter().flat_map(|a| e.iter().map(move |b| (*a, *b))).unzip()
}

/// Fails with all that matters when two columns differ.
#[track_caller]
pub(crate) fn assert_same(what: &str, got: &[Scalar], wanted: &[Scalar]) {
    assert_eq!(got.len(), wanted.len(), "{what}: number of elements");
    for (n, (g, w)) in got.iter().zip(wanted).enumerate() {
        assert!(g.is_same(*w), "{what}: element {n} is {g:?}, not {w:?}");
    }
}
