//! What is drawn of work that takes a while, on a terminal that keeps it.

use super::*;
use crate::args::{Cli, Command};
use clap::Parser;
use indicatif::TermLike;
use std::fmt::{self, Debug, Formatter};
use std::io;
use std::sync::Mutex;

/// A terminal that keeps every line that was ever drawn.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<String>>);

impl Paper {
    fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
    fn put(&self, text: &str) -> io::Result<()> {
        self.0.lock().unwrap().push_str(text);
        Ok(())
    }
}

impl Debug for Paper {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl TermLike for Paper {
    fn width(&self) -> u16 {
        120
    }
    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn write_line(&self, s: &str) -> io::Result<()> {
        self.put(&format!("{s}\n"))
    }
    fn write_str(&self, s: &str) -> io::Result<()> {
        self.put(s)
    }
    fn clear_line(&self) -> io::Result<()> {
        self.put("<cleared>")
    }
    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

/// What work draws that has no patience at all, or all there is.
fn draw(patience: Duration, work: impl FnOnce()) -> String {
    let paper = Paper::default();
    let shown = paper.clone();
    let target = move || ProgressDrawTarget::term_like(Box::new(shown.clone()));
    let before = SCREEN.replace(Screen { patience, target: Arc::new(target) });
    work();
    SCREEN.set(before);
    paper.text()
}

/// A command line, in a folder with a matrix of many rows.
fn command(folder: &Path, words: &[&str]) {
    let line: Vec<String> = words.iter().map(|w| w.replace("DIR", &folder.display().to_string())).collect();
    let done = match Cli::try_parse_from([vec!["openwork".into()], line].concat()).unwrap().command {
        Command::Run(args) => crate::run::run(&args),
        Command::Convert(args) => crate::convert::convert(&args),
        other => panic!("{other:?}"),
    };
    done.unwrap_or_else(|e| panic!("{words:?}: {e}"));
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let entries: String = (1..=20_000).map(|i| format!("{i} {} 1.5\n", i % 1000 + 1)).collect();
    let head = "%%MatrixMarket matrix coordinate real general\n20000 1000 20000\n";
    std::fs::write(dir.path().join("m.mtx"), format!("{head}{entries}")).unwrap();
    dir
}

#[test]
fn reads_conversions_and_writes_have_bars_that_go_away() {
    let dir = folder();
    let out =
        draw(Duration::ZERO, || command(dir.path(), &["convert", "DIR/m.mtx", "DIR/m.tns", "--to", "csc"]));
    for part in ["reading", "m.mtx [", " left", "converting to csc, ", "writing", "m.tns [", " %, "] {
        assert!(out.contains(part), "{part:?} not in\n{out}");
    }
    assert!(out.ends_with("<cleared>"), "{out}");
}

#[test]
fn generators_have_one_and_results_that_are_written() {
    let dir = folder();
    let run =
        ["run", "y(i) = A(i,j) * x(j)", "-i", "A=DIR/m.mtx", "-g", "x=random:seed=1", "-o", "y=DIR/y.mtx"];
    let out = draw(Duration::ZERO, || command(dir.path(), &run));
    for part in ["reading", "generating x, ", "writing", "y.mtx ["] {
        assert!(out.contains(part), "{part:?} not in\n{out}");
    }
}

#[test]
fn what_is_fast_draws_nothing() {
    let dir = folder();
    let line = ["convert", "DIR/m.mtx", "DIR/m.tns", "--to", "csc"];
    assert_eq!(draw(Duration::from_secs(600), || command(dir.path(), &line)), "");
}
