//! What thousands of different statements leave in memory: run by hand, with the limit in MiB and the number of statements.
//!
//! ```sh
//! cargo run --release -p openwork --example many_kernels 64 12000
//! ```

use openwork::{Session, Statement, Tensor, TensorExt, kept_bytes, set_cache_limit};

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).map_or(0, |pages: u64| pages * 4096)
}

fn main() -> Result<(), openwork::Error> {
    let number = |n: usize| std::env::args().nth(n).and_then(|text| text.parse().ok());
    let (limit, statements) = (number(1).unwrap_or(64), number(2).unwrap_or(12_000));
    set_cache_limit(limit << 20);
    let session = Session::global();
    let x = Tensor::from_vec(&[3], vec![1.0, 2.0, 3.0])?;
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    // As many statements live as the Python package remembers.
    let mut alive = std::collections::VecDeque::new();
    for n in 0..=statements {
        if n % (statements / 10).max(1) == 0 {
            let (code, kept) = (session.cache().bytes(), kept_bytes());
            println!(
                "{n:>7} statements: {:>6.1} MiB resident, {:>6.1} in code, {:>6.1} kept",
                mib(resident()),
                mib(code),
                mib(kept)
            );
        }
        // Statements that differed in literals only would share their code.
        let sign = |bit: usize| if n >> bit & 1 == 0 { '+' } else { '*' };
        let value = (0..14).fold("x(i)".to_string(), |value, bit| format!("({value} {} s(i))", sign(bit)));
        let statement = Statement::new(&format!("y(i) = {value}"), ["x", "s"])?;
        statement.run(session, &[&x, &x])?;
        alive.push_back(statement);
        if alive.len() > 1024 {
            alive.pop_front();
        }
    }
    Ok(())
}
