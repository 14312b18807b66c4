//! Settings from the environment: what is understood, and that nothing else passes.

use crate::common::Place;

const PRODUCT: [&str; 6] = ["run", "y(i) = A(i,j) * x(j)", "-i", "A=a.mtx", "-i", "x=x.mtx"];

#[test]
fn a_variable_that_says_nothing_is_refused_by_every_command() {
    let place = Place::new();
    let unknown: [(&str, &[&str]); 6] = [
        ("OPENWORK_THREADS", &["foo", "0", "-1", "1.5", "2,1"]),
        ("OPENWORK_MEMORY_LIMIT", &["foo", "-1", "0", "G", "1T"]),
        ("OPENWORK_KERNEL_CACHE", &["foo", "-1", "0"]),
        ("OPENWORK_BACKEND", &["foo", "C", "clif,c"]),
        ("OPENWORK_MACHINE", &["foo", "TINY", "1"]),
        ("OPENWORK_VARIANT", &["foo", "0", "-1"]),
    ];
    for (name, texts) in unknown {
        for text in texts {
            let ran = place.run_with(&[(name, text)], &PRODUCT);
            let named = [name, "E0820", &format!("`{text}`"), "it takes"];
            assert!(
                ran.status == 1 && named.iter().all(|part| ran.err.contains(part)),
                "{name}={text}: {ran:?}"
            );
        }
    }
    for args in [
        &["info", "a.mtx"][..],
        &["convert", "a.mtx", "b.tns"],
        &["explain", PRODUCT[1]],
        &["compile", PRODUCT[1]],
    ] {
        let ran = place.run_with(&[("OPENWORK_THREADS", "foo")], args);
        assert!(ran.status == 1 && ran.err.contains("E0820"), "{args:?}: {ran:?}");
    }
    let json = place.run_with(&[("OPENWORK_BACKEND", "foo")], &[&PRODUCT[..], &["--json"]].concat());
    assert!(json.err.contains("\"code\":\"E0820\""), "{json:?}");
}

#[test]
fn a_variable_that_is_understood_or_empty_passes() {
    let place = Place::new();
    for (name, text) in [
        ("OPENWORK_THREADS", "2"),
        ("OPENWORK_THREADS", ""),
        ("OMP_NUM_THREADS", "foo"),
        ("OPENWORK_MEMORY_LIMIT", "1g"),
        ("OPENWORK_KERNEL_CACHE", " 64K "),
        ("OPENWORK_MACHINE", "tiny"),
        ("OPENWORK_VARIANT", "7"),
        ("OPENWORK_BACKEND", ""),
    ] {
        let ran = place.run_with(&[(name, text)], &PRODUCT);
        assert!(ran.status == 0 && ran.out.contains("y(2) = 24"), "{name}={text}: {ran:?}");
    }
}

#[test]
fn the_backend_is_the_flag_or_else_the_variable() {
    let place = Place::new();
    let backend = |more: &[&str]| {
        let args = [&PRODUCT[..], &["--json"], more].concat();
        let ran = place.run_with(&[("OPENWORK_BACKEND", "interp")], &args);
        let v: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        v["backend"].as_str().unwrap().to_string()
    };
    assert_eq!((backend(&[]), backend(&["--backend", "clif"])), ("interp".into(), "clif".into()));
}

#[test]
fn marks_of_variants_follow_the_one_that_is_forced() {
    let place = Place::new();
    let args = ["explain", PRODUCT[1], "-f", "A=csr", "-i", "A=a.mtx", "-i", "x=x.mtx", "--json"];
    let marks = |number: &str| {
        let ran = place.run_with(&[("OPENWORK_VARIANT", number)], &args);
        let v: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let taken = |v: &serde_json::Value| v["taken_by"].as_str().unwrap_or("").to_string();
        v["variants"].as_array().unwrap().iter().map(taken).collect::<Vec<_>>()
    };
    assert_eq!(marks("1"), ["tried first in every run", "where the result of 1 is rejected"]);
    assert_eq!(marks("2"), ["", "every run"]);
}
