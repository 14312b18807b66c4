//! Arrays all of which hold something before a loop adds to them.

use crate::kinds::changed_buffer;
use crate::nodes::{BufId, BufRole, Init, LoopKernel, Stmt};
use crate::walk::each_stmt;

/// Whether an array holds something everywhere once the first statement is through that writes to it.
///
/// Where nothing is there at first, the law of [`Init::Uninit`] tells: every element is written before it is read, adding to it is
/// reading it, and at the end all of them have been written. So if one statement does all that does not add, what it does not
/// write nobody writes. How it goes through the elements is no matter: in nests, in parts, through gaps in a list.
pub(super) fn is_filled(kernel: &LoopKernel, body: &[Stmt], buf: BufId) -> bool {
    let array = &kernel.bufs[buf];
    match array.init {
        Init::Zeros | Init::Given => true,
        Init::Kept => false,
        Init::Uninit => array.role == BufRole::Out && is_written_at_once(body, buf),
    }
}

/// Whether the first statement that writes to an array does not add to it, and all others only add.
fn is_written_at_once(body: &[Stmt], buf: BufId) -> bool {
    let mut all = body.iter().map(|s| stores(s, buf)).filter(|stores| stores.plain || stores.add);
    let first = all.next();
    first.is_some_and(|first| first.plain && !first.add) && all.all(|later| !later.plain)
}

/// What a statement and those in it do to an array.
#[derive(Clone, Copy, Default)]
struct ArrayStores {
    plain: bool,
    add: bool,
}

fn stores(s: &Stmt, buf: BufId) -> ArrayStores {
    let mut found = ArrayStores::default();
    each_stmt(std::slice::from_ref(s), &mut |s| match s {
        Stmt::Store { buf: b, reduce, .. } if *b == buf => {
            found.plain |= reduce.is_none();
            found.add |= reduce.is_some();
        }
        Stmt::Reserve { .. } | Stmt::SetLen { .. } => {}
        s => found.plain |= changed_buffer(s) == Some(buf),
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;
    use openwork_base::Source;

    fn fills(init: &str, body: &str) -> bool {
        let text = format!(
            "kernel k(n: i64, x: in f32[], y: out {init} f32[]) {{\nreserve(y, n)\n{body}\nset_len(y, n)\n}}"
        );
        let kernel = parse(&Source::new("fills", text)).unwrap();
        let y = kernel.bufs.ids().last().unwrap();
        is_filled(&kernel, &kernel.body, y)
    }

    #[test]
    fn one_statement_that_does_all_but_add_fills_an_array() {
        let add = "for i in 0..n { y[i] += x[i] }";
        assert!(fills("uninit", &format!("for i in 0..n {{ y[i] = x[i] }}\n{add}")));
        assert!(fills(
            "uninit",
            &format!("let i: i64 = 0\nwhile i < n {{ y[i] = x[i]  i = i + 1 }}\n{add}\n{add}")
        ));
        assert!(fills("given", add) && fills("", add));
    }
    #[test]
    fn what_is_written_in_several_statements_is_not_filled_by_the_first() {
        let (set, add) = ("for i in 0..n { y[i] = x[i] }", "for i in 0..n { y[i] += x[i] }");
        assert!(!fills("uninit", &format!("{set}\n{add}\n{set}")));
        assert!(!fills("uninit", "for i in 0..n { y[i] = x[i]  y[i] += x[i] }"));
    }
}
