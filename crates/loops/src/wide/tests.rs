use super::*;
use crate::nodes::{LoopKernel, Stmt};
use crate::text::{parse, print};
use crate::vectorize::{VectorOptions, VectorOutcome, vectorize};
use crate::verify::{LawPart, verify};
use crate::{Reassociate, simplify};
use openwork_algebra::{DType, Prim};
use openwork_base::Source;

const WIDE: Wide = Wide::new(64, 256);

fn read(body: &str) -> LoopKernel {
    let head = "kernel k(n: i64, m: i64, pos: in i64[], crd: in i32[], a: in f64[], x: in f64[], s: in f32[], \
                u: in i64[], y: out f64[], w: out f32[], z: out i64[])";
    parse(&Source::new("test", format!("{head} {{\n{body}\n}}\n"))).unwrap_or_else(|e| panic!("{e}"))
}

fn wide_options() -> VectorOptions {
    VectorOptions { wide: Some(WIDE), ..VectorOptions::new(16) }
}

/// The leaf of the first statement.
fn leaf(body: &str) -> Result<WideLeaf, String> {
    let k = read(body);
    WideLeaf::read(&k, &k.body[0], &WIDE)
}

#[track_caller]
fn no_leaf(body: &str, part: &str) {
    match leaf(body) {
        Err(reason) => assert!(reason.contains(part), "{reason}"),
        Ok(leaf) => panic!("{leaf:?}"),
    }
}

#[test]
fn long_loops_are_wide_and_short_ones_as_before() {
    let (k, decisions) = vectorize(read("vector for i in 0..n { y[i] = x[i] * 2.0 }"), &wide_options());
    assert_eq!(verify(&k), Ok(()));
    assert_eq!(decisions[0].wide, Some(8));
    assert_eq!(decisions[0].outcome, VectorOutcome::Vectors { lanes: 2, copies: 1 });
    let text = "if n >= 32 {
           wide(8) for i in 0..n { y[i] = x[i] * 2.0 }
         } else {
           let i_done: i64 = 0
           if n >= 2 {
             let splat: f64x2 = splat(2, 2.0)
             let i_end: i64 = n & -2
             for i in 0..i_end step 2 { y[i] = x[i : 2] * splat }
             i_done = i_end
           }
           for i in i_done..n { y[i] = x[i] * 2.0 }
         }";
    assert_eq!(print(&k), print(&read(text)));
}

#[test]
fn gathers_integers_and_strict_sums_are_not_wide() {
    for body in [
        "vector for i in 0..n { y[i] = x[i64(crd[i])] }",
        "vector for i in 0..n { z[i] = u[i] + 1 }",
        "vector for i in 0..n { y[i] = select(x[i] < a[i], x[i], a[i]) }",
    ] {
        assert_eq!(vectorize(read(body), &wide_options()).1[0].wide, None, "{body}");
    }
    let sum = "let t: f64 = 0.0\nvector for i in 0..n { t = t + x[i] }\ny[0] = t";
    let strict = VectorOptions { reassociate: Reassociate::Strict, ..wide_options() };
    assert_eq!(vectorize(read(sum), &wide_options()).1[0].wide, Some(8));
    assert_eq!(vectorize(read(sum), &strict).1[0].wide, None);
}

#[test]
fn a_nest_is_turned_inside_out() {
    let body = "for i in 0..n {
       let lo: i64 = pos[i]
       let hi: i64 = pos[i + 1]
       for p in lo..hi {
         let v: f64 = a[p]
         let b: i64 = i64(crd[p]) * m
         let base: i64 = i * m
         vector for k in 0..m { y[base + k] += v * x[b + k] }
       }
     }";
    let (k, decisions) = nest(read(body), &WIDE);
    assert_eq!(verify(&k), Ok(()));
    assert_eq!(decisions.len(), 2);
    assert_eq!(decisions[1], nest::NestDecision { var: "p".into(), outcome: Ok(1) });
    let text = "for i in 0..n {
       let lo: i64 = pos[i]
       let hi: i64 = pos[i + 1]
       if lo < hi {
         wide(8) for k in 0..m {
           let sum: f64 = y[i * m + k]
           for p in lo..hi {
             let v: f64 = a[p]
             let b: i64 = i64(crd[p]) * m
             let base: i64 = i * m
             sum = sum + v * x[b + k]
           }
           y[i * m + k] = sum
         }
       }
     }";
    assert_eq!(print(&k), print(&read(text)));
    assert_eq!(print(&parse(&Source::new("again", print(&k))).unwrap()), print(&k));
}

#[test]
fn a_nest_whose_rows_move_stays() {
    for (body, part) in [
        ("for p in 0..n { vector for k in 0..m { y[p * m + k] += x[k] } }", "where y is stored to changes"),
        ("for p in 0..n { vector for k in 0..p { y[k] += x[k] } }", "bounds"),
        ("for p in 0..n { let v: f64 = y[p]\nvector for k in 0..m { y[k] += v * x[k] } }", "loaded"),
        ("for p in 0..n { let c: i64 = u[p]\nvector for k in 0..m { y[c + k] += x[k] } }", "stored to"),
        ("for p in 0..n { vector for k in 0..m { z[k] += u[p + k] } }", "vectors of i64"),
        ("for p in 0..u[0] { vector for k in 0..m { y[k] += x[p + k] } }", "variables"),
    ] {
        let before = read(body);
        let (k, decisions) = nest(before.clone(), &WIDE);
        assert_eq!(k.body, before.body, "{body}");
        let reason = decisions[0].outcome.clone().unwrap_err();
        assert!(reason.contains(part), "{body}: {reason}");
    }
}

#[test]
fn a_leaf_lists_what_it_takes_from_outside() {
    let found = leaf("vector for i in 2..n { y[i] = x[m + i] * 3.0 + x[m + i] * a[1] }").unwrap();
    assert_eq!((found.elem, found.lanes), (DType::F64, 8));
    assert_eq!(found.pointers.len(), 3);
    assert_eq!(found.floats.len(), 1);
    assert!(found.ints.is_empty() && found.reductions.is_empty() && !found.is_nested());
    let zeros = leaf("vector for i in 0..n { y[i] = (x[i] + 0.0) * -0.0 }").unwrap();
    assert_eq!(zeros.floats.len(), 2);
    let single = leaf("vector for i in 0..n { w[i] max= s[i] }").unwrap();
    assert_eq!((single.elem, single.lanes), (DType::F32, 16));
    assert!(matches!(&single.body[..], [WideStep::Store(_, _, Some(Prim::Max))]));
}

#[test]
fn what_is_no_leaf_says_why() {
    no_leaf("vector for i in 0..n { y[2 * i] = x[i] }", "i");
    no_leaf("vector for i in 0..n { y[i] = x[i + i] }", "more than one");
    no_leaf("vector for i in 0..n { y[i] = x[i]\ny[i + 1] = x[i] }", "two places");
    no_leaf("vector for i in 0..n { y[i] = y[i + 1] }", "elsewhere");
    no_leaf("vector for i in 0..n { y[0] += x[i] }", "element after element");
    no_leaf("vector for i in 0..n { y[i] = x[i]\nw[i] = s[i] }", "dtypes");
    no_leaf("vector for i in 0..n { for p in 0..m { y[i] += x[p] } }", "inner loop");
    no_leaf("vector for i in 0..n { if i < m { y[i] = x[i] } }", "condition");
    no_leaf("vector for i in 0..n { y[i] = f64(u[i]) }", "form");
    no_leaf("vector for i in 0..n { for p in 0..i { y[i] = x[p] } }", "var");
}

#[test]
fn wide_loops_are_plain() {
    let law = |body: &str| verify(&read(body)).map_err(|found| found[0].law);
    assert_eq!(
        law("wide(8) for i in 0..n { let t: f64 = x[i]\nfor p in 0..m { t = t + a[p] }\ny[i] = t }"),
        Ok(())
    );
    assert_eq!(law("wide(8) for i in 0..n { if i < m { y[i] = 0.0 } }"), Err(LawPart::Wide));
    assert_eq!(law("wide(8) for i in 0..n { vector for p in 0..m { y[p] = 0.0 } }"), Err(LawPart::Wide));
    assert_eq!(law("wide(3) for i in 0..n { y[i] = 0.0 }"), Err(LawPart::Wide));
    assert_eq!(law("wide(8) for i in 0..n step 2 { y[i] = 0.0 }"), Err(LawPart::Wide));
}

#[test]
fn simplifying_keeps_a_leaf_a_leaf() {
    let body = "let one: i64 = 1\nwide(8) for i in 0..n { let q: i64 = i * one\nlet t: f64 = x[m * n + q]\ny[q] = t }";
    let k = simplify(read(body));
    let found = k.body.iter().find(|s| matches!(s, Stmt::For { .. })).expect("a loop");
    assert!(WideLeaf::read(&k, found, &WIDE).is_ok(), "{}", print(&k));
}

/// The text of a kernel after its nests were turned inside out.
fn turn_body(body: &str) -> String {
    let (k, _) = nest::nest(read(body), &WIDE);
    assert_eq!(verify(&k), Ok(()));
    print(&k)
}

#[test]
fn what_a_row_starts_as_and_what_becomes_of_it_is_met_in_registers() {
    let nest = "let lo: i64 = pos[0]
       let hi: i64 = pos[1]
       for p in lo..hi { let v: f64 = a[p] vector for k in 0..m { y[n + k] += v * x[p * m + k] } }";
    let joined = |start: &str| {
        print(&read(&format!(
            "let lo: i64 = pos[0]
             let hi: i64 = pos[1]
             wide(8) for k in 0..m {{
               let sum: f64 = {start}
               for p in lo..hi {{ let v: f64 = a[p] sum = sum + v * x[p * m + k] }}
               y[n + k] = sum
             }}"
        )))
    };
    for (before, start) in [
        ("vector for q in 0..m { y[n + q] = x[q] }", "x[k]"),
        ("vector for q in n..n + m { y[q] = 2.0 }", "2.0"),
    ] {
        assert_eq!(turn_body(&format!("{before}\n{nest}")), joined(start));
    }
    // Another row, another length, and a start that reads the row.
    for before in [
        "vector for q in 0..m { y[q] = 2.0 }",
        "vector for q in 0..n { y[n + q] = 2.0 }",
        "vector for q in 0..m { y[n + q] = y[n + q] * 2.0 }",
        "vector for q in n..n + m { y[q] = f64(q) }",
    ] {
        assert!(turn_body(&format!("{before}\n{nest}")).contains("let sum: f64 = y[n + k]"), "{before}");
    }
}

#[test]
fn what_is_done_with_a_row_goes_into_its_loop_if_it_reads_that_row() {
    let kernel = |end: &str| {
        let head = "kernel k(n: i64, m: i64, a: in f64[], x: in f64[], y: out f64[], t: temp f64[])";
        let text = format!(
            "{head} {{
               reserve(t, m)
               vector for q in 0..m {{ t[q] = 0.0 }}
               for p in 0..n {{ let v: f64 = a[p] vector for k in 0..m {{ t[k] += v * x[p * m + k] }} }}
               {end}
             }}"
        );
        let (k, _) = nest::nest(parse(&Source::new("test", text)).unwrap(), &WIDE);
        assert_eq!(verify(&k), Ok(()));
        print(&k)
    };
    let inside = kernel("vector for r in 0..m { y[n * m + r] = max(0.0, t[r] + a[0]) }");
    assert!(inside.contains("y[n * m + k] = max(0.0, sum + a[0])\n"), "{inside}");
    // Nothing loads the temporary any more.
    assert!(!inside.contains("t[") && !inside.contains("vector"), "{inside}");
    for end in [
        "vector for r in 0..m { y[r] = t[r + 1] }",
        "vector for r in 0..n { y[r] = t[r] }",
        "vector for r in 0..m { y[r] = y[r] + t[r] }",
        "let first: f64 = t[0]\nvector for r in 0..m { y[r] = t[r] - first }",
    ] {
        let apart = kernel(end);
        assert!(apart.contains("t[k] = sum") && apart.contains("vector for r"), "{apart}");
    }
}

/// The first statement of a body, with its loops over rows marked, and why it is none.
fn over_rows(body: &str) -> (LoopKernel, Vec<rows::RowsDecision>) {
    let (k, decisions) = rows(read(body), &Wide::new(32, 128));
    assert_eq!(verify(&k), Ok(()));
    assert_eq!(print(&parse(&Source::new("again", print(&k))).unwrap()), print(&k));
    (k, decisions)
}

#[test]
fn rows_that_add_up_are_one_loop() {
    let body = "for i in 0..n {
       let t: f64 = 0.0
       let lo: i64 = pos[i]
       vector for p in lo..pos[i + 1] {
         let j: i64 = i64(crd[p])
         t = t + a[p] * x[j]
       }
       y[i] += t * 2.0
     }";
    let (k, decisions) = over_rows(body);
    assert_eq!(decisions, [("i".to_string(), Ok(()))]);
    let marked = body.replacen("for", "rows(4) for", 1).replace("vector ", "");
    assert_eq!(print(&k), print(&read(&marked)));
    let leaf = WideLeaf::of_rows(&k, &k.body[0], &Wide::new(64, 128)).unwrap();
    // What is added up starts as the sum itself, and `pos` is one address.
    assert!(
        matches!(&leaf.body[..], [WideStep::Int(..), WideStep::Across(_, _, _, joins), WideStep::Store(..)] if joins[0].first)
    );
    assert_eq!((leaf.lanes, leaf.pointers.len(), leaf.gathers()), (4, 5, true));
    // Single elements have twice as many lanes where they lie side by side.
    let single = "for i in 0..n { let t: f32 = f32(0.0)\nvector for p in 0..i { t = t + s[p] }\nw[i] = t }";
    assert!(print(&over_rows(single).0).contains("rows(8) for i"));
}

#[test]
fn what_rows_set_outside_is_carried() {
    let (k, decisions) =
        over_rows("let t: f64 = 1.0\nfor i in 0..n { vector for p in 0..i { t = t + x[p] } }\ny[0] = t");
    assert_eq!(decisions, [("i".to_string(), Ok(()))]);
    for bytes in [32, 64] {
        let leaf = WideLeaf::of_rows(&k, &k.body[1], &Wide::new(bytes, 128)).unwrap();
        assert_eq!((leaf.rows.unwrap().carried.len(), usize::from(leaf.lanes)), (1, bytes / 8));
    }
}

#[test]
fn loops_that_do_more_than_add_up_rows_stay() {
    for (body, part) in [
        ("for i in 0..n { vector for p in 0..i { y[p] = x[p] } }", "more than add up"),
        (
            "for i in 0..n { let t: f64 = 0.0\nvector for p in 0..i { t = t + x[i64(crd[p]) + p] }\ny[i] = t }",
            "two ways",
        ),
        ("for i in 0..n { let t: f64 = 0.0\nvector for p in 0..i { t = t + f64(u[p]) }\ny[i] = t }", "form"),
        (
            "for i in 0..n { let t: i64 = 0\nvector for p in 0..i { t = t + u[p] }\nz[i] = t }",
            "an index is set",
        ),
        (
            "for i in 0..n { let t: f64 = 0.0\nvector for p in 0..i { t = t + x[p] + t }\ny[i] = t }",
            "is used",
        ),
    ] {
        let (k, decisions) = over_rows(body);
        let reason = decisions[0].1.clone().unwrap_err();
        assert!(reason.contains(part), "{body}: {reason}");
        assert_eq!(print(&k), print(&read(body)), "{body}");
    }
}

#[test]
fn sums_are_taken_ahead_of_what_depends_on_them() {
    let body = "let c: i64 = 0
     for p in m..n {
       let j: i64 = i64(crd[p])
       let v: f64 = a[p]
       let t: f64 = 0.0
       vector for k in 0..m { t = t + v * x[j * m + k] }
       if t > 0.0 { y[c] = t * v\nc = c + 1 }
     }";
    let (k, decisions) = over_rows(body);
    assert_eq!(decisions, [("p".to_string(), Ok(()))]);
    let text = print(&k);
    let made = "
    rows(4) for p in p_strip..p_strip + min(64, p_end - p_strip) {
      let j: i64 = i64(crd[p])
      let v: f64 = a[p]
      let t: f64 = 0.0
      for k in 0..m {
        t = t + v * x[j * m + k]
      }
      t_ahead[p - p_strip] = t
    }
    for p in p_strip..p_strip + min(64, p_end - p_strip) {";
    assert!(text.contains(made), "{text}");
    assert!(text.contains("t_ahead: temp f64[]") && text.contains("  reserve(t_ahead, 64)"), "{text}");
    assert!(text.contains("let t: f64 = t_ahead[p - p_strip]"), "{text}");
    // Strips have few rounds: they are asked once whether to stop, by the loop around them.
    let polled = print(&crate::poll(k));
    assert_eq!(polled.matches("poll()").count(), 1, "{polled}");
}

#[test]
fn sums_that_depend_on_what_a_round_does_stay() {
    for (body, part) in [
        (
            "let c: i64 = 0\nfor i in 0..n { let t: f64 = 0.0\nvector for p in 0..c { t = t + x[p] }\ny[i] = t\nc = c + i }",
            "depends",
        ),
        (
            "for i in 0..n { let t: f64 = 0.0\nvector for p in 0..i { t = t + y[p] }\nif t > 0.0 { y[i] = t } }",
            "depends",
        ),
        (
            "let t: f64 = 0.0\nfor i in 0..n { vector for p in 0..i { t = t + x[p] }\nif t > 0.0 { y[i] = t } }",
            "a round",
        ),
        (
            "for i in 0..n { let t: f64 = 0.0\nif i > 3 { y[i] = t }\nvector for p in 0..i { t = t + x[p] }\nw[i] = f32(t) }",
            "a round",
        ),
    ] {
        let (k, decisions) = over_rows(body);
        let reason = decisions[0].1.clone().unwrap_err();
        assert!(reason.contains(part), "{body}: {reason}");
        assert_eq!(print(&k), print(&read(body)), "{body}");
    }
}
