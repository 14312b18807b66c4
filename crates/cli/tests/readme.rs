//! Every `openwork …` line of `README.md` works.

mod common;

use common::Place;

/// The words of a line of shell: single quotes keep spaces, `#` starts a comment.
fn words(line: &str) -> Vec<String> {
    let (mut out, mut word, mut quoted, mut open) = (Vec::new(), String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => (quoted, open) = (!quoted, true),
            '#' if !quoted && !open => break,
            ' ' if !quoted => {
                if open {
                    out.push(std::mem::take(&mut word));
                }
                open = false;
            }
            c => {
                word.push(c);
                open = true;
            }
        }
    }
    if open {
        out.push(word);
    }
    out
}

#[test]
fn every_command_of_the_readme_works() {
    let place = Place::new();
    let coordinates = |n: usize, step: usize| {
        let lines: Vec<String> = (1..=n).map(|i| format!("{i} {} {}.5", (i * step) % n + 1, i % 9)).collect();
        format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {n}\n{}\n", lines.join("\n"))
    };
    for (file, step) in [("m.mtx", 5), ("b.mtx", 7), ("c.mtx", 11), ("graph.mtx", 3), ("roads.mtx", 13)] {
        place.put(file, &coordinates(40, step));
    }
    place.put("x.tns", "1 1 1 1\n2 3 2 2\n4 2 2 3\n");
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let shell = readme.split("```").filter_map(|block| block.strip_prefix("sh\n"));
    let mut seen = 0;
    for line in shell.flat_map(str::lines) {
        let words = words(line);
        let args: Vec<&str> = words.iter().map(String::as_str).collect();
        if args.first() == Some(&"openwork") {
            seen += 1;
            place.good(&args[1..]);
        }
    }
    assert!(seen >= 8, "{seen} commands");
}
