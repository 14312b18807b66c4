//! Prints the stages of a statement: `show 'y(i) = A(i,j) * x(j)' A=csr …`.
use openwork::*;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let parsed = openwork_index::notation::parse(&Source::new("s", args[0].as_str())).unwrap();
    let mut decls = Decls::default();
    for name in parsed.operands() {
        decls.tensors.insert(name.into(), Decl { dtype: Some(DType::F64), ..Decl::default() });
    }
    for a in &args[1..] {
        let (n, f) = a.split_once('=').unwrap();
        decls.tensors.entry(n.into()).or_default().format =
            Some(Format::parse(f, parsed.rank_of(n).unwrap()).unwrap());
    }
    match Session::shared().stages(&args[0], &decls) {
        Ok(s) => {
            for r in &s.plan.reasons {
                println!("# {r}");
            }
            println!("{}\n{}\n{}", s.cin(), s.lattices(), s.loops_text());
        }
        Err(e) => println!("{e}"),
    }
}
