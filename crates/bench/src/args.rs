//! The command line of the benchmarks.

use crate::all;
use crate::sparse;
use crate::timing::Effort;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Times beside other libraries, and beside other ways to compute the same; prints ratios and judges nothing
#[derive(Parser, Debug)]
#[command(name = "bench")]
pub struct BenchArgs {
    #[command(subcommand)]
    pub command: BenchCommand,
}

/// What is timed.
#[derive(Subcommand, Debug)]
pub enum BenchCommand {
    /// Everything that other libraries compute as well, beside the best of them
    All(Compared),
    /// Functions of arrays, masks, semirings, pictures and trees of moves, beside array libraries
    Arrays(Compared),
    /// Kernels on each backend beside the same loops in C
    Kernels(TableArgs),
    /// From the text of a statement to code that can be called
    Latency(Quick),
    /// Products that something is added to, or done with, beside the products alone
    Epilogues(TableArgs),
    /// Operands in runs and in words beside dense ones
    Structures(TableArgs),
    /// The plan that is chosen beside other ways to write the same
    Plans(TableArgs),
    /// Conversions beside SciPy and MKL
    Conversion(TableArgs),
    /// SpMV over all formats, beside SciPy and MKL
    Spmv(TableArgs),
    /// One thread beside several
    Threads(TableArgs),
    /// What takes longer on two threads than on one, over formats, statements, shapes and sizes
    Divided(TableArgs),
    /// Sparse results, beside more libraries
    Sparse(Sparse),
    /// Conjugate gradients in twenty lines and by hand
    Cg(Quick),
    /// Steps of iterations that touch little of large vectors
    Sequences(TableArgs),
    /// Comparisons of index variables beside SciPy and beside the whole
    Relations(TableArgs),
    /// What functions of two arrays take of memory, beside PyData/Sparse
    Memory(Quick),
}

/// How long measuring may take.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct Quick {
    /// Fewer runs and smaller data
    #[arg(long)]
    quick: bool,
}

impl Quick {
    pub fn effort(self) -> Effort {
        if self.quick { Effort::Quick } else { Effort::Full }
    }
}

/// What the tables have in common.
#[derive(clap::Args, Debug)]
pub struct TableArgs {
    /// Only rows with this in their names
    pub filter: Option<String>,
    #[command(flatten)]
    pub quick: Quick,
}

/// `bench all`, `bench arrays`.
#[derive(clap::Args, Debug)]
pub struct Compared {
    /// Only rows with this in their names
    row: Option<String>,
    #[command(flatten)]
    quick: Quick,
    /// About how long everything may take; matrices that are like others are left out then
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// Where matrices and tensors are
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Write results to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print what changed since the run whose results are in a file
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

impl Compared {
    pub fn setting(&self, family: all::Family) -> all::BenchSetting {
        all::BenchSetting {
            family,
            effort: self.quick.effort(),
            filter: self.row.clone(),
            data: self.data.clone(),
            minutes: self.minutes,
            json: self.json.clone(),
            against: self.against.clone(),
        }
    }
}

/// `bench sparse`.
#[derive(clap::Args, Debug)]
pub struct Sparse {
    #[command(flatten)]
    table: TableArgs,
    /// Without the other libraries, and for longer
    #[arg(long)]
    alone: bool,
    /// Say what each part of the work takes
    #[arg(long)]
    explain: bool,
    /// Results are made in memory that was used before
    #[arg(long)]
    kept: bool,
}

impl Sparse {
    pub fn setting(&self) -> sparse::SparseSetting<'_> {
        let effort = self.table.quick.effort();
        let long = self.alone && effort == Effort::Full;
        sparse::SparseSetting {
            effort: if long { Effort::Long } else { effort },
            filter: self.table.filter.as_deref(),
            alone: self.alone,
            explain: self.explain,
            memory: if self.kept { sparse::PeerMemory::Kept } else { sparse::PeerMemory::New },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    fn kind(words: &[&str]) -> Option<ErrorKind> {
        BenchArgs::try_parse_from([&["bench"], words].concat()).err().map(|e| e.kind())
    }

    #[test]
    fn help_runs_nothing_and_unknown_words_are_refused() {
        BenchArgs::command().debug_assert();
        for command in BenchArgs::command().get_subcommands() {
            assert_eq!(kind(&[command.get_name(), "--help"]), Some(ErrorKind::DisplayHelp));
            assert_eq!(kind(&[command.get_name(), "--fast"]), Some(ErrorKind::UnknownArgument));
        }
        assert_eq!(kind(&["everything"]), Some(ErrorKind::InvalidSubcommand));
        assert_eq!(kind(&["latency", "spmv"]), Some(ErrorKind::UnknownArgument));
        assert_eq!(kind(&["all", "SpMV", "--quick", "--minutes", "2", "--json", "out.json"]), None);
        assert_eq!(kind(&["all", "--minutes", "long"]), Some(ErrorKind::ValueValidation));
    }
}
