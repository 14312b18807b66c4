//! Prints the loops and the machine code of a statement on Cranelift.
//!
//! `cargo run --release -p openwork-bench --example disassembly -- STATEMENT NAME=FORMAT…`; with `F32=1`, of single precision.

use openwork::{BackendKind, DType, Decl, Decls, Format, FormatExt, Session, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let statement = args.first().ok_or("usage: disassembly STATEMENT NAME=FORMAT…")?;
    let parsed = openwork_index::notation::parse(&Source::new("statement", statement.as_str()))?;
    let mut decls = Decls::default();
    for name in parsed.operands() {
        decls.tensors.insert(
            name.into(),
            Decl {
                dtype: Some(if std::env::var_os("F32").is_some() { DType::F32 } else { DType::F64 }),
                ..Decl::default()
            },
        );
    }
    for arg in &args[1..] {
        let (name, format) = arg.split_once('=').ok_or("expected NAME=FORMAT")?;
        let rank = parsed.rank_of(name).ok_or("no such tensor")?;
        decls.tensors.entry(name.into()).or_default().format = Some(Format::parse(format, rank)?);
    }
    let stages = Session::new(BackendKind::Clif)?.stages(statement, &decls)?;
    println!("{}", stages.loops);
    println!("{}", openwork_backend_clif::ClifBackend::new()?.disassembly(&stages.loops)?);
    Ok(())
}
