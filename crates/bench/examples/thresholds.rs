//! What a new literal costs: `#` in the statement stands for the literal.
//!
//! `cargo run --release -p openwork-bench --example thresholds -- [NUMBER] [STATEMENT]`

use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Session};
use std::time::{Duration, Instant};

fn main() -> Result<(), openwork::Error> {
    let mut args = std::env::args().skip(1);
    let number = args.next().and_then(|n| n.parse().ok()).unwrap_or(1000u32);
    let statement = args.next().unwrap_or("C(i,j) = A(i,j) > #".into());
    let session = Session::new(BackendKind::Clif)?;
    let mut decls = Decls::default();
    for name in ["A", "B", "C"] {
        let dtype = (name != "C").then_some(DType::F64);
        let format = Some(Format::parse("csr", 2)?);
        decls.tensors.insert(name.into(), Decl { dtype, format, ..Decl::default() });
    }
    let (mut stages, mut whole) = (Duration::ZERO, Duration::ZERO);
    for n in 0..number {
        let text = statement.replace('#', &format!("{}", 0.5 + f64::from(n) / 1024.0));
        let start = Instant::now();
        session.stages(&text, &decls)?;
        stages += start.elapsed();
        let start = Instant::now();
        session.compile(&text, &decls)?;
        whole += start.elapsed();
    }
    let each = |d: Duration| d.as_secs_f64() * 1e6 / f64::from(number);
    println!("{statement}: {number} literals, in microseconds each");
    println!("stages {:.0}, stages and code {:.0}", each(stages), each(whole));
    println!("{} pieces of code, {} kB", session.cache().len(), session.cache().bytes() / 1000);
    Ok(())
}
