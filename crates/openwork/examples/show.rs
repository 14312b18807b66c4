//! scratch
use openwork::*;
fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let st = &args[1];
    let mut d = Decls::default();
    for a in &args[2..] {
        let (n, f) = a.split_once('=').unwrap();
        let (f, shape) = f.split_once('@').unwrap();
        let shape: Vec<usize> = shape.split('x').map(|s| s.parse().unwrap()).collect();
        let res = n.starts_with('=');
        let n = n.trim_start_matches('=');
        d.tensors.insert(
            n.into(),
            Decl {
                dtype: Some(DType::F64),
                format: Some(Format::parse(f, shape.len())?),
                shape: if res { None } else { Some(shape) },
                ..Decl::default()
            },
        );
    }
    let s = Session::shared().stages(st, &d)?;
    for r in &s.plan.reasons {
        println!("# {r}");
    }
    println!(
        "{}\n{}",
        s.cin(),
        if std::env::var("VEC").is_ok() { openwork_loops::text::print(&s.loops) } else { s.loops_text() }
    );
    Ok(())
}
