//! Sizes near 2^31, 2^32, 2^62 and 2^63: every format, conversion and result is right or refused by name, and nothing runs on
//! once it was asked to stop.
//!
//! Each part runs in a process of its own, with a limit on its address space: one that crashes or hangs is a test that
//! fails, and names the case that it died in.

use openwork::presets::PRESETS;
use openwork::{Cancel, Decl, Error, Format, FormatExt, Scalar, Session, Tensor, TensorExt, convert};
use openwork_storage::memory;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Names the part that a process runs.
const PART: &str = "OPENWORK_SIZES_PART";
/// How many processes there are.
const PARTS: usize = 6;
/// Kilobytes of address space of each.
const SPACE: u32 = 3 << 20;
/// Bytes that its tensors may take.
const LIMIT: u64 = 64 << 20;

/// Shapes whose products wrap to nothing, to little, to a negative number, or do not wrap but come near to it.
fn shapes() -> Vec<Vec<usize>> {
    let (k31, k32, k40, k62) = (1 << 31, 1 << 32, 1 << 40, 1 << 62);
    let most = i64::MAX as usize;
    vec![
        vec![k31],
        vec![k32 + 1],
        vec![k62],
        vec![most],
        vec![k31, k31],
        vec![k32, k32],
        vec![k32, k31 + 1],
        vec![2 * k32, k31 + 1],
        vec![k40, k40],
        vec![k62, 9],
        vec![9, k62],
        vec![k62, k62],
        vec![9, most],
        vec![most, 9],
        vec![k32, k32, 9],
        vec![9, k32, k32],
        vec![k62, 9, 9],
        vec![k40, k40, k40],
    ]
}

/// Formats that have no name.
const WORDS: [&str; 12] = [
    "dense, ragged",
    "dense, skyline",
    "dense, sliced",
    "compressed, dense",
    "compressed, masked",
    "compressed, bitmap",
    "compressed, sliced",
    "compressed, hashed",
    "masked, masked",
    "list, list",
    "runs",
    "dense, runs",
];

fn formats(rank: usize) -> Vec<(String, Format)> {
    let named = PRESETS.iter().map(|p| p.name.to_string());
    let vars = ["i", "j", "k"][..rank].join(",");
    let words = WORDS.map(|levels| format!("({vars}) -> ({vars}) : {levels}"));
    let all = named.chain(words);
    all.filter_map(|text| Some((text.clone(), Format::parse(&text, rank).ok()?))).collect()
}

/// A few elements in the first and the last rows.
fn entries(shape: &[usize]) -> Vec<(Vec<usize>, Scalar)> {
    let entry = |n: usize| {
        let at = |size: usize| if n < 2 { (n * 3 + 1).min(size - 1) } else { size - 1 };
        (shape.iter().map(|&size| at(size)).collect(), Scalar::F64(n as f64 + 1.0))
    };
    (0..3).map(entry).collect()
}

/// Runs a case. It is asked to stop after a while: it need not end, but it must stop.
fn result(name: &str, run: impl FnOnce() -> Result<Tensor, Error>) -> Option<Tensor> {
    println!("case {name}");
    let cancel = Cancel::new();
    let (ended, end) = mpsc::channel::<()>();
    let asking = cancel.clone();
    let clock = std::thread::spawn(move || {
        if end.recv_timeout(Duration::from_millis(300)).is_err() {
            asking.cancel();
        }
    });
    let made = cancel.scope(run);
    drop(ended);
    clock.join().ok();
    match made {
        Ok(t) => Some(t),
        Err(e) => {
            assert!(!["E9999", "E0501"].contains(&e.code().0), "{name}: {e}");
            None
        }
    }
}

fn expect(name: &str, t: &Tensor, entries: &[(Vec<usize>, Scalar)]) {
    for (at, value) in entries {
        assert_eq!(t.get(at), Some(*value), "{name} at {at:?}");
    }
}

/// The conversions and statements over one shape.
fn check_shape(shape: &[usize], session: &Session) {
    let rank = shape.len();
    let entries = entries(shape);
    let mut packed = Vec::new();
    for (text, format) in formats(rank) {
        let name = format!("{shape:?} as {text}");
        if let Some(t) = result(&name, || Tensor::pack(shape, &entries, &format)) {
            expect(&name, &t, &entries);
            packed.push((text, t));
        }
    }
    for (from, a) in &packed {
        // Each is converted into every format by way of storage above; kernels come from four of them.
        if !["coo", "dcsr", "csf", "hash", "sparse"].contains(&from.as_str()) {
            continue;
        }
        for (text, format) in formats(rank) {
            let name = format!("{shape:?} from {from} to {text}");
            if let Some(t) = result(&name, || Ok(convert(session, a, &format)?.tensor)) {
                expect(&name, &t, &entries);
            }
        }
    }
    let Some((_, coo)) = packed.iter().find(|(text, _)| text == "coo") else { return };
    let vars = ["i", "j", "k"][..rank].join(",");
    let turned: Vec<&str> = ["i", "j", "k"][..rank].iter().rev().copied().collect();
    let vector_of =
        |size: usize| Tensor::pack(&[size], &[(vec![1], Scalar::F64(2.0))], &Format::parse("coo", 1)?);
    for (text, format) in formats(rank) {
        let statements = [
            format!("Y({vars}) = A({vars}) * A({vars}) + A({vars})"),
            format!("Y({}) = A({vars})", turned.join(",")),
            format!("Y({vars}) = A({vars}) + 1"),
        ];
        for statement in statements {
            let name = format!("{shape:?}: {statement} as {text}");
            let decl = Decl { format: Some(format.clone()), ..Decl::default() };
            result(&name, || session.einsum(&statement, &[("A", coo)], decl));
        }
        if let [n, m] = *shape {
            for statement in ["Y(i,j) = a(i) * b(j)", "Y(i,j) = a(i) + b(j)"] {
                let name = format!("{shape:?}: {statement} as {text}");
                let decl = Decl { format: Some(format.clone()), ..Decl::default() };
                result(&name, || {
                    session.einsum(statement, &[("a", &vector_of(n)?), ("b", &vector_of(m)?)], decl)
                });
            }
        }
    }
    let name = format!("{shape:?}: a sum");
    let sum = result(&name, || session.einsum(&format!("y = A({vars})"), &[("A", coo)], Decl::default()));
    // Loops do not count to one past the last of so many coordinates.
    let uncounted = shape.contains(&(i64::MAX as usize));
    assert_eq!(sum.and_then(|y| y.get(&[])), (!uncounted).then_some(Scalar::F64(6.0)), "{name}");
}

/// Runs a part of this test in a process of its own, and gives the last case that it began if it does not end well.
fn fault(part: usize) -> Option<String> {
    let own = std::env::current_exe().expect("this program has a path");
    let shell = format!(
        "ulimit -v {SPACE}; exec \"$0\" --exact sizes_are_right_or_refused --nocapture --test-threads=1"
    );
    let mut child = Command::new("sh")
        .args(["-c", &shell])
        .arg(own)
        .env(PART, part.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let lines = BufReader::new(child.stdout.take().expect("piped"));
    let (told, heard) = mpsc::channel();
    let reader =
        std::thread::spawn(move || lines.lines().map_while(Result::ok).try_for_each(|l| told.send(l).ok()));
    let mut last = String::from("no case");
    loop {
        match heard.recv_timeout(Duration::from_secs(60)) {
            Ok(line) if line.starts_with("case ") => last = line,
            Ok(_) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                child.kill().ok();
                child.wait().ok();
                return Some(format!("hangs in {last}"));
            }
        }
    }
    reader.join().ok();
    let status = child.wait().expect("the child ends");
    (!status.success()).then(|| format!("{status} in {last}"))
}

#[test]
fn sizes_are_right_or_refused() {
    if let Ok(part) = std::env::var(PART) {
        let part: usize = part.parse().expect("a number");
        memory::set_limit(LIMIT);
        let session = Session::global();
        let all = shapes();
        all.iter().skip(part).step_by(PARTS).for_each(|shape| check_shape(shape, session));
        return;
    }
    let faults: Vec<String> = (0..PARTS).filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
