//! Driving the built binary in a folder of its own.
#![allow(dead_code, reason = "every test file uses a part of this")]

use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// 3 x 4 with 5 entries; times `[1 2 3 4]` it is `[7 6 24]`.
pub const A: &str = "%%MatrixMarket matrix coordinate real general\n\
                     3 4 5\n1 1 1\n1 3 2\n2 2 3\n3 1 4\n3 4 5\n";
/// A vector as a matrix of one column.
pub const X: &str = "%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n";
/// Symmetric, 3 x 3.
pub const S: &str = "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n3 3 1\n";
/// 2 x 3 x 2 with a duplicate.
pub const T: &str = "1 1 1 1\n2 3 2 2\n1 2 2 3\n1 2 2 4\n";

/// What a run of the binary left.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// A folder with the sample files.
pub struct Place(TempDir);

impl Place {
    /// A folder without files.
    pub fn empty() -> Place {
        Place(tempfile::tempdir().unwrap())
    }
    pub fn new() -> Place {
        let place = Place::empty();
        for (name, text) in [("a.mtx", A), ("x.mtx", X), ("s.mtx", S), ("t.tns", T)] {
            place.put(name, text);
        }
        place
    }
    pub fn path(&self) -> &Path {
        self.0.path()
    }
    pub fn put(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }
    pub fn get(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
    /// The names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
    /// Runs `openwork` there.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(&[], args)
    }
    /// Runs `openwork` there with more in its environment.
    pub fn run_with(&self, environment: &[(&str, &str)], args: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_openwork"));
        command.args(args).current_dir(self.path()).envs(environment.iter().copied());
        let Output { status, stdout, stderr } = command.output().expect("the binary starts");
        let text = |bytes| String::from_utf8(bytes).expect("output is text");
        Ran { status: status.code().expect("no signal"), out: text(stdout), err: text(stderr) }
    }
    /// Runs `openwork`, which must succeed silently on stderr, and gives its output.
    pub fn good(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{args:?}: {ran:?}");
        ran.out
    }
    /// The JSON that `openwork` prints.
    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        let out = self.good(args);
        assert_eq!(out.lines().count(), 1, "{out}");
        serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"))
    }
}
