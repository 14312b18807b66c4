//! Loops that are left early.

use super::{assert_same, execute, indices, succeed, zeros};
use crate::Backend;
use crate::harness::{Growth, run_until};
use openwork_algebra::DType;
use openwork_base::Source;
use openwork_loops::text::parse;
use openwork_loops::{LoopKernel, Status};
use std::sync::atomic::AtomicBool;

fn read(body: &str) -> LoopKernel {
    let text = format!("kernel breaks(n: i64, y: out i64[]) {{\n{body}\n}}\n");
    parse(&Source::new("breaks", text)).unwrap_or_else(|e| panic!("{e}"))
}

/// A parameter, and the four elements that a body leaves.
type BreakRun = (i64, [i64; 4]);

/// Bodies, and runs of each.
const LEFT: &[(&str, &[BreakRun])] = &[
    // A `for`, whose variable is not what it would be at the end.
    (
        "for i in 0..4 { if i == n { break } y[i] = i + 1 }",
        &[(0, [0; 4]), (2, [1, 2, 0, 0]), (7, [1, 2, 3, 4])],
    ),
    ("for i in 0..4 step 3 { y[i] = 1 if i >= n { break } }", &[(0, [1, 0, 0, 0]), (1, [1, 0, 0, 1])]),
    // A `while`, and what it has set.
    (
        "let m: i64 = 0 while m < 9 { m = m + 1 if m == n { break } y[0] += m } y[1] = m",
        &[(1, [0, 1, 0, 0]), (3, [3, 3, 0, 0]), (99, [45, 9, 0, 0])],
    ),
    // Without a condition, and code that cannot be reached.
    ("for i in 0..4 { y[i] = 5 break y[3] = 6 } y[1] = n", &[(7, [5, 7, 0, 0])]),
    ("while n < 3 { y[0] = 1 break }", &[(0, [1, 0, 0, 0]), (3, [0; 4])]),
    // The innermost loop alone is left.
    (
        "for i in 0..4 { for j in 0..4 { if j > i { break } y[i] += n } }",
        &[(1, [1, 2, 3, 4]), (10, [10, 20, 30, 40])],
    ),
    (
        "for i in 0..4 { let m: i64 = 0 while true { if m > i { break } m = m + 1 y[i] += n } if i == 2 { break } }",
        &[(1, [1, 2, 3, 0])],
    ),
    // Inside of both sides, and of a side inside of a side.
    (
        "for i in 0..4 { if i < n { y[i] = 1 } else { if i == 3 { y[3] = 9 } else { break } } y[0] += 10 }",
        &[(0, [0; 4]), (2, [21, 1, 0, 0]), (3, [41, 1, 1, 9])],
    ),
    ("for i in 0..4 { if i == n { break } else { y[i] = 2 break } }", &[(0, [0; 4]), (1, [2, 0, 0, 0])]),
    // A value that was found on the way, beside a store that combines.
    (
        "let f: bool = false for i in 0..4 { y[i] += 3 if i == n { f = true break } } if f { y[0] = -1 }",
        &[(1, [-1, 3, 0, 0]), (4, [3; 4])],
    ),
];

/// Every kind of loop, and every place in it.
pub fn breaks_leave_the_innermost_loop(b: &dyn Backend) {
    for (body, runs) in LEFT {
        let k = read(body);
        for (n, wanted) in *runs {
            let got = succeed(b, &k, &[zeros(DType::I64, 4)], &[*n]);
            assert_same(body, &got.bufs[0], &indices(wanted));
        }
    }
}

/// Beside other ways to end: a kernel that is told to stop, and one that fails, in loops that are left.
pub fn breaks_beside_other_ends(b: &dyn Backend) {
    let k = read("for i in 0..4 { if i == n { break } if i == 2 { poll() } y[i] = 1 } y[3] = 4");
    let code = b.compile(&k).expect("lawful");
    let ends = [
        (true, 9, Status::Cancelled, [1, 1, 0, 0]),
        (true, 1, Status::Ok, [1, 0, 0, 4]),
        (false, 9, Status::Ok, [1, 1, 1, 4]),
    ];
    for (stop, n, status, wanted) in ends {
        let (stop, bufs) = (AtomicBool::new(stop), [zeros(DType::I64, 4)]);
        let got = run_until(&stop, &*code, &k, &bufs, &[n], Growth::Failing).expect("regular ends");
        assert_eq!(got.status, status, "{}", b.name());
        assert_same(&k.name, &got.bufs[0], &indices(&wanted));
    }
    let k = read(
        "while true { for i in 0..4 { if i == n { break } if i == 2 { fail(check_failed) } y[i] = 1 } break }",
    );
    for (n, status) in [(1, Status::Ok), (3, Status::CheckFailed)] {
        let got = execute(b, &k, &[zeros(DType::I64, 4)], &[n], Growth::Failing);
        assert_eq!((got.status, &got.bufs[0][0]), (status, &indices(&[1])[0]), "{}", b.name());
    }
}
