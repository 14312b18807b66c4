//! [`Poll`](Stmt::Poll) statements, put where a kernel comes by often enough to be stopped, and seldom enough that nobody can
//! measure it.
//!
//! ```text
//! for i in 0..n {                              let i_end: i64 = n
//!   let s: f64 = 0.0                           let i_next: i64 = 0
//!   for p in pos[i]..pos[i + 1] {              while i_next < i_end {
//!     s = s + vals[p] * x[crd[p]]                poll()
//!   }                                    =>      let i_strip: i64 = i_next
//!   …                                            i_next = i_strip + min(64, i_end - i_strip)
//! }                                              for i in i_strip..i_next {
//!                                                  let s: f64 = 0.0
//!                                                  …
//!                                              } }
//! ```
//!
//! | loop | polls |
//! |---|---|
//! | around loops that poll | in every round |
//! | around loops that do not | between strips of 64 rounds; a `while`, in every round |
//! | around no loop, in none | between strips of 65536 rounds; a `while`, in every round |
//! | taken [wide](crate::wide), whatever is in it | as one around no loop |
//! | over [rows](crate::wide), whatever is in it | between strips of 256 rounds |
//! | from a number up to the next one | never: it has one round |
//! | over [sums taken ahead](crate::wide), around loops or not | never: it has 64 rounds |
//! | around no loop, in another, with an element of an array for every round | never: memory bounds it |
//! | around no loop, in another, else | as one alone, where it has more than 65536 rounds |
//!
//! On SpMV over rows of five elements, a poll in every row took 4 % of the time, a branch in every row that polls in one
//! of 64 took 8 %, and strips take none that can be measured. The strips are a `while`, as a `for` needs one more
//! register, which gcc does not have. This pass comes last: other passes could not take a loop that polls apart.

use crate::build::{add, call, int, lt, set, var};
use crate::kinds::{StmtKind, read_place};
use crate::nodes::{Expr, LoopKernel, LoopMode, Stmt, VarId};
use crate::unroll::is_assembled;
use crate::walk::{blocks, blocks_mut, exprs, parts};
use crate::wide::ahead::is_strip;
use openwork_algebra::{Prim, Scalar};
use openwork_base::machine::threshold;

/// The most rounds of a loop that is short, where they are known.
const SHORT: i64 = 64;
/// Rounds between two polls of a loop without a loop inside: some ten to a hundred microseconds.
const STRIP: i64 = 1 << 16;
/// Rounds between two polls of a loop around loops that do not poll.
const ROWS: i64 = 64;
/// The same where the loop is assembled: a call waits for memory as it begins, which took a third of the time of gathering from
/// ten megabytes.
const ASSEMBLED: i64 = 256;

/// What is around a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PollContext {
    Nothing,
    Loop,
}

/// How deep long loops are inside each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PollDepth {
    None,
    One,
    More,
}

/// Lets a lawful kernel be stopped.
///
/// ```
/// use openwork_base::Source;
/// use openwork_loops::{poll, text::{parse, print}};
/// let text = "kernel k(n: i64, y: out f64[]) {
///   for i in 0..n {
///     while i < n {
///       for j in i..n {
///         y[j] += 1.0
///       }
///     }
///   }
/// }
/// ";
/// let polled = print(&poll(parse(&Source::new("demo", text)).unwrap()));
/// let wanted = text.replace("    while", "    poll()\n    while").replace("      for", "      poll()\n      for");
/// assert_eq!(polled, wanted);
/// ```
pub fn poll(mut kernel: LoopKernel) -> LoopKernel {
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(&mut kernel, body, PollContext::Nothing);
    kernel
}

fn block(kernel: &mut LoopKernel, body: Vec<Stmt>, around: PollContext) -> Vec<Stmt> {
    body.into_iter().flat_map(|s| stmt(kernel, s, around)).collect()
}

fn stmt(kernel: &mut LoopKernel, mut s: Stmt, around: PollContext) -> Vec<Stmt> {
    let inside = match &s {
        s if is_wide(s) => PollDepth::None,
        Stmt::For { mode: LoopMode::Rows { .. }, .. } => PollDepth::One,
        s => deepest(s),
    };
    let alone = around == PollContext::Nothing;
    let (strip, polls) = match &s {
        Stmt::For { .. } if is_strip(&s) || is_one_round(&s) => (None, false),
        Stmt::For { mode: LoopMode::Rows { .. }, .. } => (Some(threshold(ASSEMBLED, 1)), false),
        Stmt::For { .. } if inside == PollDepth::One => (Some(threshold(ROWS, 1)), false),
        Stmt::For { .. } if is_long(&s) && inside == PollDepth::None && alone => {
            (Some(threshold(STRIP, 2)), false)
        }
        Stmt::For { .. } => (None, inside > PollDepth::None),
        s => (None, s.kind() == StmtKind::Loop && (inside > PollDepth::None || alone)),
    };
    let inner = if s.kind() == StmtKind::Branch { around } else { PollContext::Loop };
    let assembled = is_assembled(&s);
    for part in blocks_mut(&mut s).filter(|_| !assembled) {
        *part = block(kernel, std::mem::take(part), inner);
        if polls {
            part.insert(0, Stmt::Poll);
        }
    }
    match strip {
        Some(rounds) => strips(kernel, s, rounds),
        None if inside == PollDepth::None && is_long(&s) && !is_wide(&s) && !is_in_memory(&s) => {
            strips_where_long(kernel, s)
        }
        None => vec![s],
    }
}

/// Whether every round of a loop reads or writes an element of its own, so that there are not more than memory holds.
fn is_in_memory(s: &Stmt) -> bool {
    let Stmt::For { var: i, body, .. } = s else { return true };
    body.iter().any(|s| {
        let stores = matches!(s, Stmt::Store { at, .. } if steps(at, *i));
        stores || exprs(s).any(|e| loads(e, *i))
    })
}
/// Whether `e` always loads an element that depends on `i`.
fn loads(e: &Expr, i: VarId) -> bool {
    match e {
        Expr::AndAlso(left, _) => loads(left, i),
        e => {
            let own = read_place(e).is_some_and(|(_, at)| steps(at, i));
            own || parts(e).any(|part| loads(part, i))
        }
    }
}
/// Whether an index is another one in every round over `i`.
fn steps(at: &Expr, i: VarId) -> bool {
    match at {
        Expr::Var(v) => *v == i,
        Expr::Call { prim: Prim::Add | Prim::Sub, args } => args.iter().any(|a| steps(a, i)),
        _ => false,
    }
}

/// A loop in another, with polls where it turns out to be long: short ones pay for one comparison.
fn strips_where_long(kernel: &mut LoopKernel, s: Stmt) -> Vec<Stmt> {
    let Stmt::For { var: i, lo, hi, step, mode, body } = s else { return vec![s] };
    let name = kernel.vars[i].name.clone();
    let (first, stop) = (kernel.index(&format!("{name}_first")), kernel.index(&format!("{name}_stop")));
    let whole = Stmt::For { var: i, lo: var(first), hi: var(stop), step, mode, body };
    let rounds = call(Prim::Sub, var(stop), var(first));
    let strip = threshold(STRIP, 2);
    let then = strips(kernel, whole.clone(), strip);
    vec![
        Stmt::Let { var: first, val: lo },
        Stmt::Let { var: stop, val: hi },
        Stmt::If { cond: lt(int(strip.saturating_mul(step)), rounds), then, other: vec![whole] },
    ]
}

/// Whether a loop is taken in wide vectors: its code is one piece, which nothing may interrupt.
fn is_wide(s: &Stmt) -> bool {
    matches!(s, Stmt::For { mode: LoopMode::Wide { .. }, .. })
}

/// How deep long loops are in the blocks of a statement.
fn deepest(s: &Stmt) -> PollDepth {
    blocks(s).map(|b| depth(b)).max().unwrap_or(PollDepth::None)
}

/// How deep long loops are in a block.
fn depth(body: &[Stmt]) -> PollDepth {
    let own = |s: &Stmt| {
        let inside = if is_wide(s) { PollDepth::None } else { deepest(s) };
        match (is_long(s), inside) {
            (true, PollDepth::None) => PollDepth::One,
            (true, PollDepth::One | PollDepth::More) => PollDepth::More,
            (false, inside) => inside,
        }
    };
    body.iter().map(own).max().unwrap_or(PollDepth::None)
}

/// Whether a loop has one round: it is there for what other passes make of a loop.
fn is_one_round(s: &Stmt) -> bool {
    let Stmt::For { lo, hi, step: 1, .. } = s else { return false };
    *hi == add(lo.clone(), int(1))
}

/// Whether a statement is a loop of whose rounds nobody knows that they are few.
fn is_long(s: &Stmt) -> bool {
    match s {
        Stmt::For { .. } if is_one_round(s) => false,
        Stmt::For { lo: Expr::Const(Scalar::I64(lo)), hi: Expr::Const(Scalar::I64(hi)), step, .. } => {
            hi.saturating_sub(*lo) / step > threshold(SHORT, 1)
        }
        s => s.kind() == StmtKind::Loop,
    }
}

/// A loop with a poll before every so many rounds.
fn strips(kernel: &mut LoopKernel, s: Stmt, rounds: i64) -> Vec<Stmt> {
    let Stmt::For { var: i, lo, hi, step, mode, mut body } = s else { return vec![s] };
    let name = kernel.vars[i].name.clone();
    let [end, next, strip] = ["end", "next", "strip"].map(|part| kernel.index(&format!("{name}_{part}")));
    // Not the smaller one of two ends, as a sum with the first value may not fit.
    let rest = call(Prim::Sub, var(end), var(strip));
    let some = call(Prim::Min, int(rounds.saturating_mul(step)), rest);
    last_strip(&mut body, &set(next, var(end)));
    let body = vec![
        Stmt::Poll,
        Stmt::Let { var: strip, val: var(next) },
        set(next, add(var(strip), some)),
        Stmt::For { var: i, lo: var(strip), hi: var(next), step, mode, body },
    ];
    vec![
        Stmt::Let { var: end, val: hi },
        Stmt::Let { var: next, val: lo },
        Stmt::While { cond: lt(var(next), var(end)), body },
    ]
}

/// Puts `end` before every break that leaves the loop with this body: the loop over strips ends with it.
fn last_strip(body: &mut Vec<Stmt>, end: &Stmt) {
    let mut at = 0;
    while at < body.len() {
        match body[at].kind() {
            StmtKind::Leave => {
                body.insert(at, end.clone());
                at += 1;
            }
            StmtKind::Branch => blocks_mut(&mut body[at]).for_each(|b| last_strip(b, end)),
            // A break in a loop leaves that loop.
            StmtKind::Loop
            | StmtKind::Value
            | StmtKind::Store
            | StmtKind::Room
            | StmtKind::End
            | StmtKind::Remark => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{for_each, store};
    use crate::interp::{Limits, Memory, VecMemory, run};
    use crate::nodes::{BufId, BufRole, LoopMode, Status};
    use crate::random::{Rng, random_kernel, traces};
    use crate::text::{parse, print};
    use crate::verify;
    use openwork_algebra::DType;
    use openwork_base::Source;
    use std::cell::Cell;

    fn poll_body(body: &str) -> String {
        let text = format!("kernel k(n: i64, y: out f64[]) {{\n{body}}}\n");
        let kernel = poll(parse(&Source::new("test", text)).unwrap());
        assert_eq!(verify(&kernel), Ok(()));
        print(&kernel)
    }

    #[test]
    fn a_loop_alone_is_cut_into_strips() {
        let text = poll_body("if n < 9 { for i in 1..n step 3 { y[i] = 1.0 } }");
        let strips = "    let i_end: i64 = n
    let i_next: i64 = 1
    while i_next < i_end {
      poll()
      let i_strip: i64 = i_next
      i_next = i_strip + min(196608, i_end - i_strip)
      for i in i_strip..i_next step 3 {
        y[i] = 1.0
      }
    }
";
        assert!(text.contains(strips), "{text}");
    }

    #[test]
    fn a_loop_that_is_left_has_no_more_strips() {
        let text =
            poll_body("for i in 0..n { if y[i] > 0.0 { if y[i] > 1.0 { break } for j in 0..2 { break } } }");
        let inside = "      if y[i] > 0.0 {
        if y[i] > 1.0 {
          i_next = i_end
          break
        }
        for j in 0..2 {
          break
        }
      }
";
        assert!(text.contains(inside), "{text}");
    }

    #[test]
    fn loops_of_few_rounds_are_statements_like_others() {
        for quiet in ["for i in 0..64 { y[i] = 1.0 }", "for i in 0..8 { for j in 0..8 { y[j] = 1.0 } }"] {
            assert!(!poll_body(quiet).contains("poll"));
        }
        let text = poll_body("for i in 0..n { for j in 0..8 { y[j] = 1.0 } }");
        assert!(text.contains("for i in i_strip..") && text.matches("poll").count() == 1, "{text}");
    }

    #[test]
    fn a_loop_of_one_round_does_not_poll() {
        let text = poll_body("for i in 0..n { for j in i..i + 1 { for l in 0..n { y[l] = 1.0 } } }");
        assert!(text.contains("for j in i..i + 1 {") && text.matches("poll").count() == 1, "{text}");
    }

    #[test]
    fn wide_loops_stay_whole() {
        let text = poll_body(
            "for i in 0..n { wide(8) for k in 0..n { let s: f64 = y[k] for p in 0..n { s = s + 1.0 } y[k] = s } }",
        );
        assert!(
            text.contains("      wide(8) for k in 0..n {") && text.matches("poll").count() == 1,
            "{text}"
        );
    }

    #[test]
    fn loops_around_others_poll() {
        let text =
            poll_body("for i in 0..2 { for j in 0..n { while n < j { for l in 0..n { y[l] = 1.0 } } } }");
        assert_eq!(text.matches("poll").count(), 3, "{text}");
        let text = poll_body("let m: i64 = n while m < 9 { m = m + 1 }");
        assert!(text.contains("while m < 9 {\n    poll()"), "{text}");
        let text = poll_body("for i in 0..n { for j in i..n { y[j] = 1.0 } for j in 0..i { y[j] = 2.0 } }");
        let strips = "    i_next = i_strip + min(64, i_end - i_strip)
    for i in i_strip..i_next {
      for j in i..n {";
        assert!(text.contains(strips) && text.matches("poll").count() == 1, "{text}");
    }

    /// Memory that counts how often it is asked whether the kernel should stop, and says so from one time on.
    struct Counting {
        inner: VecMemory,
        polls: Cell<u64>,
        from: u64,
    }

    impl Memory for Counting {
        fn load(&self, buf: BufId, at: usize) -> Option<Scalar> {
            self.inner.load(buf, at)
        }
        fn store(&mut self, buf: BufId, at: usize, value: Scalar) -> Option<()> {
            self.inner.store(buf, at, value)
        }
        fn capacity(&self, buf: BufId) -> usize {
            self.inner.capacity(buf)
        }
        fn reserve(&mut self, buf: BufId, len: usize) -> Status {
            self.inner.reserve(buf, len)
        }
        fn set_len(&mut self, buf: BufId, len: usize) -> Option<()> {
            self.inner.set_len(buf, len)
        }
        fn is_cancelled(&self) -> bool {
            self.polls.set(self.polls.get() + 1);
            self.polls.get() >= self.from
        }
    }

    #[test]
    fn kernels_poll_every_so_many_rounds() {
        let rounds = 1000;
        let nests = [
            ("for i in 0..n * 65536 { y[0] = 1.0 }", rounds / 100),
            ("for i in 0..n { for j in 0..n { y[0] = 1.0 } }", rounds / 64),
            ("for i in 0..n { for j in 0..10 { y[0] = 1.0 } }", 0),
            ("for i in 0..10 { for j in 0..n { for k in 0..100 { y[0] = 1.0 } } }", 10 * rounds / 64),
            ("let m: i64 = 0 while m < n { m = m + 1 }", rounds),
            ("for i in 0..2 { for j in 0..n * 65536 { y[0] = 1.0 } }", 2 * rounds / 100),
            ("for i in 0..2 { for j in 0..n { y[0] = 1.0 } }", 0),
            ("for i in 0..n { let m: i64 = 0 while m < 5 { m = m + 1 } }", rounds / 64),
            ("if n > 0 { for i in 0..n { if i > 3 { for j in 0..n { y[0] = 1.0 } } } }", rounds / 64),
        ];
        for (body, least) in nests {
            let text = format!("kernel k(n: i64, y: out f64[]) {{\n{body}\n}}\n");
            let kernel = poll(parse(&Source::new("test", text)).unwrap());
            let n = if body.contains("65536") { rounds / 100 } else { rounds };
            let run_until = |from: u64| {
                let mut inner = VecMemory::new(&kernel);
                let y = kernel.bufs.ids().next().unwrap();
                inner.set(y, vec![Scalar::F64(0.0)]);
                let mut memory = Counting { inner, polls: Cell::new(0), from };
                let ended = run(&kernel, &[n], &mut memory, Limits { steps: u64::MAX });
                (ended, memory.polls.get())
            };
            let (ended, polls) = run_until(u64::MAX);
            assert_eq!(ended, Ok(Status::Ok));
            assert!(polls >= least as u64, "{polls} polls in {body}");
            for at in [1, polls / 2, polls].into_iter().filter(|&at| at > 0) {
                assert_eq!(run_until(at), (Ok(Status::Cancelled), at), "{body}");
            }
        }
    }

    #[test]
    fn random_kernels_do_what_they_did() {
        for seed in 0..1000 {
            let k = random_kernel(&mut Rng::new(seed));
            let p = poll(k.clone());
            assert_eq!(verify(&p), Ok(()), "seed {seed}");
            assert_eq!(traces(&k, seed), traces(&p, seed), "seed {seed}\n{k}\n{p}");
        }
    }

    #[test]
    fn strips_take_every_round_once() {
        for (lo, hi, step) in
            [(0, 0, 1), (-5, 300, 1), (3, 64, 1), (7, 1000, 3), (i64::MAX - 70, i64::MAX - 1, 1)]
        {
            let mut k = LoopKernel::new("k");
            let y = k.buf("y", DType::I64, BufRole::Out);
            let (i, j) = (k.index("i"), k.index("j"));
            let count = Stmt::Store { buf: y, at: int(0), val: int(1), reduce: Some(Prim::Add) };
            let once = for_each(j, var(i), add(var(i), int(1)), vec![count, store(y, int(1), var(i))]);
            let mode = LoopMode::Serial;
            k.body = vec![Stmt::For { var: i, lo: int(lo), hi: int(hi), step, mode, body: vec![once] }];
            let [whole, strips] = [k.clone(), poll(k)].map(|k| {
                let mut memory = VecMemory::new(&k);
                memory.set_ints(y, &[0, 0]);
                assert_eq!(run(&k, &[], &mut memory, Limits::default()), Ok(Status::Ok));
                memory.values(y).to_vec()
            });
            assert_eq!(strips, whole, "{lo}..{hi} step {step}");
        }
    }
}
