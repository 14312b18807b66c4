//! Prints what every stage makes of a `.t` file: `cargo run -p openwork-filetests --example stages FILE`.

use openwork::BackendKind;
use openwork_filetests::pipeline::{Compiler, Pipeline};
use openwork_filetests::testfile::TestFile;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: stages FILE.t")?;
    let file = TestFile::parse(&std::fs::read_to_string(path)?)?;
    let compiler = Compiler::new(&[BackendKind::Interp])?;
    let (plan, _) = compiler.plan(&file.case)?;
    plan.reasons.iter().for_each(|reason| println!("# {reason}"));
    println!("{}", plan.program);
    if let Some(loops) = compiler.loops(&file.case) {
        println!("{}", loops?);
    }
    println!("{:?}", compiler.run(&file.case)?);
    Ok(())
}
