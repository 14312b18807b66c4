//! Random sequences of statements: every result is what the oracle says, with the same bits on any number of threads.
//!
//! `OPENWORK_CASES` is as for the differential suite.

use openwork::{BackendKind, Session};
use openwork_filetests::differential::budget;
use openwork_filetests::random::{CHAINS, SEQUENCES, case};
use openwork_filetests::sequences::SequenceCounts;
use std::io::Write;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Cases without `OPENWORK_CASES`.
const CASES: usize = 600;

fn run_sequences(seeds: Range<u64>) -> SequenceCounts {
    let next = AtomicU64::new(seeds.start);
    let all = Mutex::new(SequenceCounts::default());
    let take = || {
        let mut own = SequenceCounts::default();
        // Every other case has a planner that compares ways however little there is to do.
        let sessions = || {
            let plain = || [BackendKind::Interp, BackendKind::Clif].map(|k| Session::new(k).unwrap());
            [plain(), plain().map(Session::comparing_always)]
        };
        let mut pairs = sessions();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            if pairs.iter().any(|pair| pair[1].cache().len() > 512) {
                pairs = sessions();
            }
            own.add(seed, &case(seed), &pairs[(seed % 2) as usize]);
        }
        let mut all = all.lock().unwrap();
        all.agreed += own.agreed;
        all.left_out += own.left_out;
        all.together += own.together;
        all.joined += own.joined;
        all.wrong.extend(own.wrong);
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(take);
        }
    });
    all.into_inner().unwrap()
}

fn judge(met: &SequenceCounts) {
    let SequenceCounts { agreed, left_out, together, joined, wrong } = met;
    let _ = writeln!(
        std::io::stderr(),
        "{agreed} sequences agree, {left_out} left out, {together} groups ran together, {joined} kernels had several results"
    );
    for (seed, why) in wrong.iter().take(4) {
        let _ = writeln!(std::io::stderr(), "---- seed {seed}: {why}");
    }
    assert!(wrong.is_empty(), "{} sequences are wrong", wrong.len());
    assert!(agreed * 2 >= agreed + left_out, "most random sequences should be accepted");
}

#[test]
fn statements_over_the_same_rows_compute_what_the_oracle_says() {
    let met = run_sequences(budget(CASES).seed_range(SEQUENCES));
    judge(&met);
    let few = met.agreed < 50;
    assert!(few || met.together * 4 >= met.agreed, "a quarter of them should run together");
    assert!(few || met.joined * 10 >= met.agreed, "a tenth of them should have a kernel of several results");
}

#[test]
fn chains_as_one_sequence_compute_what_the_oracle_says() {
    judge(&run_sequences(budget(CASES).share(2).seed_range(CHAINS + (1 << 43))));
}
