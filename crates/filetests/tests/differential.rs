//! Random statements, formats, dtypes and data against the oracle.

use openwork::BackendKind;
use openwork_filetests::differential::{Tally, budget, run};
use openwork_filetests::pipeline::{Compiler, Planning};

fn judge(tally: &Tally) {
    println!("{tally}");
    assert_eq!(tally.failed, 0, "{tally}");
    assert!(tally.agreed * 2 > tally.total(), "most random cases should be accepted\n{tally}");
}

#[test]
fn plans_mean_what_the_oracle_says() {
    judge(&run(0..budget(2000) as u64, &Planning));
}

#[test]
fn kernels_compute_what_the_oracle_says() {
    let compiler = Compiler::new(&[BackendKind::Interp, BackendKind::Clif]).expect("both are always available");
    judge(&run(0..budget(2000) as u64, &compiler));
}
