//! Random statements, formats, dtypes and data against the oracle.

use openwork_filetests::differential::{budget, run};
use openwork_filetests::pipeline::Planning;

#[test]
fn plans_mean_what_the_oracle_says() {
    let cases = budget(2000) as u64;
    let tally = run(0..cases, &Planning);
    println!("{tally}");
    assert_eq!(tally.failed, 0, "{tally}");
    assert!(tally.agreed * 2 > tally.total(), "most random cases should be accepted\n{tally}");
}
