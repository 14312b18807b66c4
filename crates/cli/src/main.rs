//! The `openwork` command.
//!
//! | module | what lives there |
//! |---|---|
//! | `taco`, `argv` | TACO's command lines, and its spelling of flags, rewritten to ours |
//! | `args` | the command line |
//! | `fault` | mistakes of the caller that no lower crate can see, and how errors are shown |
//! | `request` | the statements, and what the flags say about their tensors |
//! | `operands`, `sizes` | reading and generating operands, and the sizes of index variables |
//! | `compiled`, `given` | one kernel, those of several statements, or a C function of the user's |
//! | `run`, `summary` | `openwork run`, and how it reports |
//! | `compile`, `explain`, `tune`, `convert`, `info` | the other commands |
//! | `target` | files to write, checked before long work |
//! | `header`, `progress`, `table` | first lines of files, progress bars, aligned text |
//!
//! Everything here converts and presents; what is computed is decided in the crates below.

mod args;
mod argv;
mod compile;
mod compiled;
mod convert;
mod explain;
mod fault;
mod given;
mod header;
mod info;
mod operands;
mod progress;
mod request;
mod run;
mod sizes;
mod summary;
mod table;
mod taco;
mod target;
mod tune;

use args::{Cli, Command, OutputMode};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use openwork_base::panics;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Exit status of a bad command line.
const USAGE: u8 = 2;
/// Exit status of a mistake of ours (`EX_SOFTWARE`).
const INTERNAL: u8 = 70;

fn main() -> ExitCode {
    let argv: Vec<_> = std::env::args_os().collect();
    // A command line that does not parse may still ask for JSON.
    let json = argv.iter().take_while(|a| *a != "--").any(|a| a == "--json");
    let mode = if json { OutputMode::Json } else { OutputMode::Human };
    panics::keep();
    ExitCode::from(run_guarded(mode, || match taco::commands(&argv) {
        None => one(argv, mode),
        Some(Err(e)) => report_failure(&e, mode),
        // What comes after a failure would speak of something else.
        Some(Ok(all)) => all.into_iter().map(|argv| one(argv, mode)).find(|&status| status != 0).unwrap_or(0),
    }))
}

/// Carries out one command line.
fn one(argv: Vec<OsString>, mode: OutputMode) -> u8 {
    match Cli::try_parse_from(argv::rewrite(argv)) {
        Ok(cli) => perform(cli, mode),
        Err(e) => usage(&name_other_commands(e), mode),
    }
}

/// The exit status of `work`, or of a mistake of ours where it panics.
fn run_guarded(mode: OutputMode, work: impl FnOnce() -> u8) -> u8 {
    panics::catch_panic("the command", work).unwrap_or_else(|e| report_failure(&e, mode))
}

/// Shows an error; the only thing left to do about a stderr that cannot be written is nothing.
fn report_failure(e: &openwork::Error, mode: OutputMode) -> u8 {
    let _ = writeln!(std::io::stderr(), "{}", fault::render_error(e, mode));
    fault::status(e)
}

fn perform(cli: Cli, mode: OutputMode) -> u8 {
    // Scripts of shells are made by nothing that is set.
    let understood = match &cli.command {
        Command::Completions { .. } => Ok(()),
        _ => openwork::check_settings(),
    };
    if let Err(e) = understood {
        return report_failure(&e, mode);
    }
    let done = match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Compile(args) => compile::compile(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Tune(args) => tune::tune(&args),
        Command::Convert(args) => convert::convert(&args),
        Command::Info(args) => info::info(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "openwork", &mut script);
            Ok(String::from_utf8_lossy(&script).into_owned())
        }
    };
    let shown = done.map_err(fault::with_flags).and_then(|text| print(&text));
    match shown {
        Ok(()) => 0,
        Err(e) => report_failure(&e, mode),
    }
}

/// Writes to standard output. A reader that has seen enough is no error.
pub(crate) fn print(text: &str) -> openwork::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(fault::system("write", "the output", &e)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Names the commands that take a flag which the one at hand has not, in place of the tip to write it as a value.
fn name_other_commands(mut e: clap::Error) -> clap::Error {
    let Some(ContextValue::String(flag)) = e.get(ContextKind::InvalidArg).cloned() else { return e };
    if e.kind() != ErrorKind::UnknownArgument || e.get(ContextKind::SuggestedArg).is_some() {
        return e;
    }
    let cli = Cli::command();
    let takes = |command: &&clap::Command| {
        let mut long = command.get_arguments().filter_map(|a| a.get_long());
        let mut short = command.get_arguments().filter_map(|a| a.get_short());
        long.any(|name| flag == format!("--{name}")) || short.any(|name| flag == format!("-{name}"))
    };
    let others: Vec<String> =
        cli.get_subcommands().filter(takes).map(|c| format!("`openwork {}`", c.get_name())).collect();
    if !others.is_empty() {
        let tip = format!("{flag} is a flag of {}", others.join(", "));
        e.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    e
}

/// Help and version go to standard output; anything else is a bad command line.
fn usage(e: &clap::Error, mode: OutputMode) -> u8 {
    match (e.use_stderr(), mode) {
        (false, _) => {
            let _ = e.print();
            0
        }
        (true, OutputMode::Human) => {
            let _ = e.print();
            USAGE
        }
        (true, OutputMode::Json) => {
            let _ = writeln!(std::io::stderr(), "{}", fault::usage_json(&e.to_string()));
            USAGE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_a_status_and_what_to_report() {
        let status = run_guarded(OutputMode::Human, || panic!("a test panics"));
        assert_eq!(status, INTERNAL);
        let bug = panics::catch_panic("the command", || panic!("a test panics")).unwrap_err();
        for mode in [OutputMode::Human, OutputMode::Json] {
            let text = fault::render_error(&bug, mode);
            let parts = ["E9999", "panicked: a test panics", "please report it"];
            assert!(parts.iter().all(|p| text.contains(p)), "{text}");
        }
    }
}
