//! Command lines of TACO's tool, without a subcommand, as commands of ours.
//!
//! ```text
//! openwork "y(i) = A(i,j) * x(j)" -f=A:ds                            ->  compile … --emit c --functions compute
//! openwork "y(i) = A(i,j) * x(j)" -f=A:ds -g=A:s -g=x:d -time=10     ->  run … --dim i=42 --dim j=42
//! … -g=A:s -g=x:d -read-source=spmv.c -prefix=spmv          ->  run … --source spmv.c --name spmv
//! … -print-concrete -write-source=spmv.c -prefix=spmv                ->  compile … --emit cin; compile … -o spmv.c --name spmv
//! ```
//! Flags that both tools have pass through to [`crate::argv`]; each other flag of TACO's is refused with what to do instead.

use crate::fault;
use openwork::{Code, Diagnostic, Error, Result, Source};
use openwork_index::notation;
use std::ffi::OsString;

/// A flag of TACO's that has no meaning here.
const FLAG: Code = Code("E0817");
/// The size of index variables that nothing else fixes, in TACO.
const SIZE: &str = "42";

/// Flags of TACO's that show a stage, and what shows it here.
const SHOWN: [(&str, &[&str]); 7] = [
    ("-print-compute", &["--emit", "c", "--functions", "compute"]),
    ("-print-assembly", &["--emit", "c", "--functions", "assemble"]),
    ("-print-evaluate", &["--emit", "c", "--functions", "fused"]),
    ("-print-kernels", &["--emit", "c"]),
    ("-print-concrete", &["--emit", "cin"]),
    ("-print-iteration-graph", &["--emit", "graph"]),
    ("-print-lattice", &["--emit", "lattice"]),
];
/// Flags of TACO's that write C to a file, and which functions.
const WRITTEN: [(&str, &str); 3] =
    [("-write-source", "all"), ("-write-compute", "compute"), ("-write-assembly", "assemble")];
/// Flags of TACO's without a counterpart, and what to do instead.
const OTHER: [(&str, &str); 6] = [
    ("-cuda", "there is no backend for graphics processors; kernels run on threads, -nthreads=8"),
    ("-schedule", "loops are divided by how much there is to do; -s=parallelize(i) asks for it"),
    ("-O", "name a file for the result: -o=y:y.tns"),
    ("-write-time", "--time=10 --json prints all times, for a script to read"),
    ("-print-kernel", "say -print-kernels"),
    ("-o", "name the tensor as well: -o=y:y.tns"),
];

/// Flags of ours whose value may be a word of its own.
const VALUED: [&str; 18] = [
    "-f",
    "-t",
    "-d",
    "-s",
    "-i",
    "-g",
    "-o",
    "--format",
    "--dtype",
    "--dim",
    "--schedule",
    "--input",
    "--generate",
    "--output",
    "--time",
    "--threads",
    "--backend",
    "--use",
];

/// What flags say that are not passed on.
#[derive(Default)]
struct TacoFlags {
    shown: Vec<&'static [&'static str]>,
    /// Which functions, and the file.
    written: Vec<(&'static str, String)>,
    /// The file whose function is called.
    source: Option<String>,
    prefix: Option<String>,
    fused: bool,
    /// Whether there are operands to compute with.
    loaded: bool,
    /// Whether files fix sizes.
    files: bool,
    timed: bool,
}

/// The command lines of ours for one of TACO's; nothing for any other.
///
/// # Errors
/// `E0817` for flags that have no counterpart.
pub(crate) fn commands(argv: &[OsString]) -> Option<Result<Vec<Vec<OsString>>>> {
    let words: Vec<&str> = argv.iter().skip(1).map(|a| a.to_str()).collect::<Option<_>>()?;
    if words.first() == Some(&"-help") || words.first() == Some(&"-help=scheduling") {
        let topic = if words[0] == "-help" { vec!["--help"] } else { vec!["run", "--help"] };
        return Some(Ok(vec![line(argv, &topic)]));
    }
    let value = |n: usize| n > 0 && VALUED.contains(&words[n - 1]);
    let (_, &statement) = words.iter().enumerate().find(|(n, w)| !w.starts_with('-') && !value(*n))?;
    if !statement.contains('=') {
        return None;
    }
    Some(translate_arguments(argv, &words, statement))
}

fn translate_arguments(argv: &[OsString], words: &[&str], statement: &str) -> Result<Vec<Vec<OsString>>> {
    let (mut asked, mut both, mut run) = (TacoFlags::default(), vec![statement.to_string()], Vec::new());
    let mut rest = words.iter().copied().peekable();
    let mut seen = false;
    while let Some(word) = rest.next() {
        if word == statement && !seen {
            seen = true;
        } else if !asked.read(word)? {
            let data = ["-i", "-g", "-o", "--input", "--generate", "--output"];
            let own = data.iter().any(|f| word == *f || word.starts_with(&format!("{f}=")));
            let runs = ["-time", "--time", "-nthreads", "--threads", "--backend", "-verify", "--verify"];
            let runs = own || runs.iter().any(|f| word == *f || word.starts_with(&format!("{f}=")));
            let to = if runs { &mut run } else { &mut both };
            to.push(word.to_string());
            // Our own spelling has values as words of their own.
            if VALUED.contains(&word) {
                to.extend(rest.next().map(str::to_string));
            }
            asked.loaded |= own && !word.starts_with("-o") && !word.starts_with("--output");
            asked.files |= word.starts_with("-i") || word.starts_with("--input");
            asked.timed |= word.contains("-time");
        }
    }
    Ok(asked.lines(argv, statement, &both, &run))
}

impl TacoFlags {
    /// Whether a word is a flag of TACO's, which is heeded then.
    fn read(&mut self, word: &str) -> Result<bool> {
        let (flag, value) = word.split_once('=').map_or((word, None), |(f, v)| (f, Some(v)));
        if let Some((_, emit)) = SHOWN.iter().find(|(f, _)| *f == flag) {
            self.shown.push(*emit);
        } else if let Some((_, functions)) = WRITTEN.iter().find(|(f, _)| *f == flag) {
            self.written.push((functions, file(word, value)?));
        } else if flag == "-read-source" {
            self.source = Some(file(word, value)?);
        } else if let Some((_, instead)) = OTHER
            .iter()
            .find(|(f, _)| *f == flag && (*f != "-o" || value.is_some_and(|v| !v.contains([':', '=']))))
        {
            return Err(refusal(word, instead));
        } else {
            match (flag, value) {
                ("-c", None) => self.fused = true,
                ("-nocolor" | "-print-nocolor", None) => {}
                ("-prefix", Some(prefix)) => self.prefix = Some(prefix.trim_end_matches('_').to_string()),
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
    /// The command lines: what is computed, then what is shown, then what is written.
    fn lines(
        mut self,
        argv: &[OsString],
        statement: &str,
        both: &[String],
        run: &[String],
    ) -> Vec<Vec<OsString>> {
        let mut out = Vec::new();
        let verified = run.iter().any(|w| w.ends_with("-verify"));
        if self.loaded || self.timed || verified || self.source.is_some() {
            let sizes = if self.files { Vec::new() } else { sizes(statement, both) };
            let source = self.source.iter().flat_map(|f| ["--source".to_string(), f.clone()]);
            let called = self.prefix.iter().filter(|_| self.source.is_some());
            let called = called.flat_map(|p| ["--name".to_string(), p.clone()]);
            let source = source.chain(called).collect();
            out.push([vec!["run".into()], both.to_vec(), run.to_vec(), sizes, source].concat());
        } else if self.shown.is_empty() && self.written.is_empty() {
            self.shown.push(SHOWN[0].1);
        }
        let name: Vec<String> = self.prefix.iter().flat_map(|p| ["--name".to_string(), p.clone()]).collect();
        let fused = |f: &str| if self.fused && f == "compute" { "fused".to_string() } else { f.to_string() };
        for emit in &self.shown {
            let emit: Vec<String> = emit.iter().map(|w| fused(w)).collect();
            let name = if emit.contains(&"c".to_string()) { name.clone() } else { Vec::new() };
            out.push([vec!["compile".into()], both.to_vec(), emit, name].concat());
        }
        for (functions, file) in &self.written {
            let emit = ["--emit", "c", "--functions"].map(String::from).to_vec();
            let file = vec![fused(functions), "--output".into(), file.clone()];
            out.push([vec!["compile".into()], both.to_vec(), emit, file, name.clone()].concat());
        }
        out.iter().map(|words| line(argv, &words.iter().map(String::as_str).collect::<Vec<_>>())).collect()
    }
}

/// The file that a flag names.
fn file(word: &str, value: Option<&str>) -> Result<String> {
    let flag = word.split('=').next().unwrap_or(word);
    let file = value.filter(|v| !v.is_empty());
    file.map(str::to_string).ok_or_else(|| refusal(word, &format!("name a file: {flag}=kernel.c")))
}

fn line(argv: &[OsString], words: &[&str]) -> Vec<OsString> {
    argv.iter().take(1).cloned().chain(words.iter().map(OsString::from)).collect()
}

fn refusal(word: &str, instead: &str) -> Error {
    let message = format!("`{word}` is a flag of TACO's that has no meaning here");
    let source = Source::new("command line", word);
    let d = Diagnostic::new(FLAG, message).point_at(&source, fault::full_span(&source), "");
    Error::refusal(d.help(instead))
}

/// Sizes of the index variables that no flag gives one, as TACO has them.
fn sizes(statement: &str, given: &[String]) -> Vec<String> {
    let Ok(parsed) = notation::parse_all(&Source::new("statement", statement)) else { return Vec::new() };
    let flags = given.iter().filter_map(|w| w.strip_prefix("-d=").or_else(|| w.strip_prefix("--dim=")));
    let after = given.windows(2).filter(|w| w[0] == "-d" || w[0] == "--dim").map(|w| w[1].as_str());
    let named: Vec<&str> = flags.chain(after).filter_map(|v| v.split([':', '=']).next()).collect();
    let mut known: Vec<&str> = named.clone();
    let all: Vec<&str> = parsed.iter().flat_map(|s| s.index_names()).collect();
    let mut see = |t: &notation::TensorRef| {
        if named.contains(&t.name.text.as_str()) {
            known.extend(all.iter().filter(|i| t.indices.iter().any(|n| n.text == **i)));
        }
    };
    for statement in &parsed {
        see(&statement.lhs);
        statement.each_tensor(&mut |t| see(t));
    }
    let mut open: Vec<&str> = Vec::new();
    for i in all.iter().filter(|i| !known.contains(i)) {
        if !open.contains(i) {
            open.push(i);
        }
    }
    open.iter().map(|i| format!("--dim={i}={SIZE}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translate(taco: &[&str]) -> Vec<String> {
        let argv: Vec<OsString> = ["openwork"].iter().chain(taco).map(OsString::from).collect();
        let lines = commands(&argv).expect("it is a command line of TACO's").expect("it has a meaning");
        let text =
            |l: &Vec<OsString>| l[1..].iter().map(|w| w.to_str().unwrap()).collect::<Vec<_>>().join(" ");
        lines.iter().map(text).collect()
    }

    #[test]
    fn command_lines_of_taco_become_ours() {
        let s = "y(i)=A(i,j)*x(j)";
        for (taco, lines) in [
            (&[s, "-f=A:ds"][..], &["compile S -f=A:ds --emit c --functions compute"][..]),
            (&["-f=A:ds", s, "-c"], &["compile S -f=A:ds --emit c --functions fused"]),
            (&[s, "-print-nocolor", "-print-concrete"], &["compile S --emit cin"]),
            (&["-f", "A=csr", s, "-c"], &["compile S -f A=csr --emit c --functions fused"]),
            (&["-c", s], &["compile S --emit c --functions fused"]),
            (&["--json", s, "-print-concrete"], &["compile S --json --emit cin"]),
            (
                &[s, "--exact", "-f", "A=csr", "-g=A:s", "-g=x:d", "--verify", "-d=A:3,4"],
                &["run S --exact -f A=csr -d=A:3,4 -g=A:s -g=x:d --verify"],
            ),
            (&[s, "-g=A:s", "-g=x:d"], &["run S -g=A:s -g=x:d --dim=i=42 --dim=j=42"]),
            (&[s, "-g=A:s", "-g=x:d", "-d=A:9,8"], &["run S -d=A:9,8 -g=A:s -g=x:d"]),
            (&[s, "-g=A:s", "-g=x:d", "-d=i:9"], &["run S -d=i:9 -g=A:s -g=x:d --dim=j=42"]),
            (
                &[s, "-i=A:a.mtx", "-i", "x=x.mtx", "-time=3", "-write-source=f.c", "-prefix=spmv_"],
                &[
                    "run S -i=A:a.mtx -i x=x.mtx -time=3",
                    "compile S --emit c --functions all --output f.c --name spmv",
                ],
            ),
            (
                &[s, "-i=A:a.mtx", "-i=x:x.mtx", "-read-source=f.c", "-prefix=spmv", "-verify"],
                &["run S -i=A:a.mtx -i=x:x.mtx -verify --source f.c --name spmv"],
            ),
            (
                &[s, "-g=A:s", "-g=x:d", "-d=A:9,8", "-read-source=f.c", "-print-concrete"],
                &["run S -d=A:9,8 -g=A:s -g=x:d --source f.c", "compile S -d=A:9,8 --emit cin"],
            ),
            (
                &[s, "-s=split(i,i0,i1,8),reorder(i0,i1)"],
                &["compile S -s=split(i,i0,i1,8),reorder(i0,i1) --emit c --functions compute"],
            ),
        ] {
            let lines: Vec<String> = lines.iter().map(|l| l.replace('S', s)).collect();
            assert_eq!(translate(taco), lines);
        }
        assert_eq!(translate(&["-help=scheduling"]), ["run --help"]);
        for other in [&["run", s][..], &["--help"], &[], &["info", "a=b.mtx"], &["dance"]] {
            let argv: Vec<OsString> = ["openwork"].iter().chain(other).map(OsString::from).collect();
            assert!(commands(&argv).is_none(), "{other:?}");
        }
    }
}
