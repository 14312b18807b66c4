//! Shows what a statement becomes for operands of given formats and shapes: the reasons of the plan, loops over index
//! variables, and loops over memory. Nothing is computed, so operands need no values.
//!
//! ```sh
//! cargo run --release -p openwork --example show -- 'y(i) = A(i,j) * x(j)' A=csr@100x50 x=dense@50 =y=dense@100
//! ```
//!
//! A result begins with `=`; its shape only says how many modes it has. With `VEC` in the environment, loops are those that
//! are made into machine code.

use openwork::*;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((statement, tensors)) = arguments.split_first() else {
        eprintln!(
            "usage: show STATEMENT [NAME=FORMAT@SHAPE…], such as A=csr@100x50; =y=dense@100 for a result"
        );
        std::process::exit(2);
    };
    let mut declared = Decls::default();
    for text in tensors {
        let result = text.starts_with('=');
        let parts = text.trim_start_matches('=').split_once('=').and_then(|(name, rest)| {
            let (format, shape) = rest.rsplit_once('@')?;
            let shape: Option<Vec<usize>> = shape.split('x').map(|n| n.parse().ok()).collect();
            Some((name, format, shape?))
        });
        let Some((name, format, shape)) = parts else {
            eprintln!("`{text}` is not NAME=FORMAT@SHAPE, such as A=csr@100x50");
            std::process::exit(2);
        };
        let decl = Decl {
            dtype: Some(DType::F64),
            format: Some(Format::parse(format, shape.len())?),
            shape: if result { None } else { Some(shape) },
            ..Decl::default()
        };
        declared.tensors.insert(name.into(), decl);
    }
    let stages = Session::global().stages(statement, &declared)?;
    for reason in &stages.plan.reasons {
        println!("# {reason}");
    }
    let vectors = std::env::var("VEC").is_ok();
    let loops = if vectors { openwork_loops::text::print(&stages.loops) } else { stages.loops_text() };
    println!("{}\n{loops}", stages.cin());
    Ok(())
}
