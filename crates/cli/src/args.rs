//! The command line, as clap reads it after [`crate::argv`].

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use openwork::{BackendKind, SourceFunctions};
use std::path::PathBuf;

const ABOUT: &str = "Say what to compute and how tensors are stored; the kernel for exactly that is generated, \
                     compiled in the process and run.";
const EXITS: &str = "\
Exit status:
  0  done
  1  the statement, a flag's value, a file or the data is wrong
  2  the command line is wrong
  3  refused by name: well formed, but not supported in this version
  70 an internal error: please report it

A statement without a command is run where operands are read or generated, and compiled to C where none is, with TACO's flags:
  openwork 'y(i) = A(i,j) * x(j)' -f=A:ds -g=A:s -g=x:d -d=i:1000 -time=10 -write-source=spmv.c

NO_COLOR turns colours off. Every command but `completions` has --json.";

/// `openwork …`
#[derive(Parser, Debug)]
#[command(name = "openwork", version, about = ABOUT, after_help = EXITS, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Compute statements over files and generated tensors
    #[command(after_help = format!("{RUN_HELP}\n\n{SCHEDULES}\n\n{}", formats_help()))]
    Run(RunArgs),
    /// Show what statements compile to; needs no files
    #[command(after_help = format!("{COMPILE_HELP}\n\n{SCHEDULES}\n\n{}", formats_help()))]
    Compile(CompileArgs),
    /// Say what statements were planned to do, at what cost, and what was compared
    #[command(after_help = EXPLAIN_HELP)]
    Explain(ExplainArgs),
    /// Time candidate plans and formats on your operands, and say what to keep
    #[command(after_help = TUNE_HELP)]
    Tune(TuneArgs),
    /// Read a tensor, store it in another format, write it to another file
    #[command(after_help = convert_help())]
    Convert(ConvertArgs),
    /// Describe the structure of a matrix or tensor in a file
    #[command(after_help = INFO_HELP)]
    Info(InfoArgs),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

const RUN_HELP: &str = "\
Examples:
  openwork run 'y(i) = A(i,j) * x(j)' -i A=m.mtx -g x=random:seed=1 -o y=y.tns
  openwork run 'C(i,j) = A(i,k) * B(k,j)' -f A=csr -i A=m.mtx -g B=dense -d j=32 --time 10 --json
  openwork run 'a = A(i,j)' -g A=sparse:density=0.01,seed=3 -d i=1000 -d j=1000
  openwork run 'y(i) = A(i,j) * x(j)' -f=A:ds:1,0 -i=A:m.mtx -g=x:d -o=y:y.tns -time=10
  openwork run 'y(i) = A(i,j) * x(j); n = y(i) * y(i)' -i A=m.mtx -g x=ones -o y=y.tns -o n=n.tns
  openwork run 'y(i) = A(i,j) * x(j)' -f A=csr -i A=m.mtx -g x=ones --source edited.c --verify

Several statements, separated by `;` or ends of lines, are computed one after the other: later ones read what earlier ones
compute. Results that none of them reads are shown; with -o, others are kept as well. -d i=100 is said of `i` in all of
them. Schedules, --use, tune and C files are for one statement.

--source compiles a C file with the system's compiler and calls its function: as `compile --emit c` writes it for the same
statement and flags, and as you edited it. It is native code of yours: it is trusted, and nothing checks what it reads and
writes; --verify compares what it computes.

Generators:
  dense | ones | range | random:seed=S | sparse:density=D,seed=S | rows | columns | blocks (settings as of sparse) | fem
  TACO's letters, as in -g=x:d: d dense, u and r random, s sparse (7 %), h hypersparse (0.5 %), l rows, v columns,
  b blocks of 4 x 4 (1 % each), f a band

Formats of tensors without -f: coordinate files are csr (matrices) or csf; array files, dense generators and
scalars are dense; the sparse generator makes csr or csf. The result's format is chosen and the reason printed.

GFLOP/s and GB/s are estimates: operations are those of the statement's expression, once per visited combination
of indices (sparse operands visited where they are stored; matches between different patterns are counted as if
independent); bytes are those of all operands and of the result, each once. Times are those inside the kernel.";

const EXPLAIN_HELP: &str = "\
Examples:
  openwork explain 'C(i,k) = A(i,j) * B(j,k)' -f A=csr -f B=csc -f C=csr
  openwork explain 'y(i) = A(i,j) * B(j,k) * x(k)' -i A=m.mtx -i B=m.mtx -d k=1000

Operands from files are measured; others are taken to have ten values per row, dimensions without -d to be 20000.
Estimates of time are made to compare plans, not to predict.";

const TUNE_HELP: &str = "\
Examples:
  openwork tune 'y(i) = A(i,j) * x(j)' -i A=m.mtx -g x=random:seed=1
  openwork tune 'C(i,k) = M(i,k) * A(i,j) * B(j,k)' -i A=m.mtx -i B=m.mtx -i M=m.mtx --best 5

Every sparse operand without -f is tried in other formats, one operand at a time, then the best together; of each the
planner's best candidates run. What operands are converted to is kept between runs, as in a program that calls the
statement often.";

const COMPILE_HELP: &str = "\
Examples:
  openwork compile 'y(i) = A(i,j) * x(j)' -f A=csr --emit loops
  openwork compile 'C(i,j) = A(i,j) + B(i,j)' -f A=csr -f B=csr -f C=csr --emit cin,lattice
  openwork compile 'y(i) = A(i,j) * x(j)' -f A=csr --emit c --name spmv -o spmv.c --header spmv.h
  openwork compile 'y(i) = A(i,j) * x(j)' -f A=csr -t A=f32 -t x=f32 --emit c --with-main > spmv.c

A C file has a typed function that computes the statement, with every array explained. Results whose size nobody knows before
are a struct of arrays that grow by realloc, or by what OPENWORK_REALLOC is defined as; NAME_assemble and NAME_compute make
their structure and their values apart. `--emit asm` shows what runs on this machine.

Tensors without -f are dense, without -t f64; sizes stay symbolic unless -d gives them.";

const CONVERT_HELP: &str = "\
Examples:
  openwork convert m.mtx m.tns
  openwork convert m.mtx.gz sorted_by_column.tns --to csc
  openwork convert m.mtx m.tns --to 'bcsr(3,3)' --explain
  openwork convert t.tns.gz t32.tns -t f32

Files: .mtx (MatrixMarket), .tns (FROSTT), .npy (NumPy, dense), .npz (SciPy, sparse) and .smtx (patterns), each also
with .gz. Symmetric matrices are written out in full;
.tns lists entries in the order of the format. With --to, a generated kernel converts the tensor into the format in
memory, and what that took is printed; slots that a format pads with are not written. OPENWORK_MEMORY_LIMIT=4G bounds
the memory of a tensor (80 % of the machine without it).";

fn convert_help() -> String {
    format!("{CONVERT_HELP}\n\n{}", formats_help())
}

const SCHEDULES: &str = "\
Schedules (TACO's commands; the planner needs none):
  reorder(i,k,j)                          nest loops in this order
  precompute(B(i,k)*C(k,j), j, w)         compute this first, into a workspace w over j
  precompute(B(i,k)*C(k,j), {i,j}, w, K)  kept as K: dense, bitmap, hash or list
  precompute(E, i, iw, w)                 the same with a name for the loop that fills it
  precompute(B(i,j), j, w)                where w exists: assign this first, add the rest after
  split(i,i0,i1,32)  divide(i,i0,i1,4)    a loop in two, for reorder
  fuse(i,j,f)  pos(f,fpos,A(i,j))         names for two loops as one, and for the positions of a tensor, for the others
  unroll(i,4)  vectorize(i)  parallelize(i)  gallop(i)  bound(i,ib,100,MaxExact)  assemble(C,Append)
  parallelize(i,CPUThread,NoRaces)  and TACO's other units and strategies; `;` or `,` between commands";

/// Every way to name a format.
fn formats_help() -> String {
    let mut out = String::from("Formats:\n");
    for p in openwork::presets::PRESETS {
        let args: Vec<String> = p.defaults.iter().map(u64::to_string).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(",")) };
        let rank = match p.rank {
            None => "any number of modes".to_string(),
            Some(1) => "1 mode".into(),
            Some(n) => format!("{n} modes"),
        };
        let name = format!("{}{args}", p.name);
        out += &format!("  {name:<14} {} ({rank})\n", p.about);
    }
    out + FULL_FORMATS
}

const FULL_FORMATS: &str = "\
  Numbers in parentheses are the sizes without any: bcsr and bcsr(4,4) are the same, bcsr(3) is bcsr(3,3).
  ds, ds:1,0     TACO's letters, a level each: d dense, s compressed, u s nonunique, q singleton
  in full        '(i,j) -> (j-i,i,j) : squeezed, range, offset ; fill = 0 ; pos = i64 ; crd = i32'";

const INFO_HELP: &str = "\
Examples:
  openwork info m.mtx
  openwork info m.mtx.gz --plot m.svg
  openwork info t.tns --json

`bN fill` is the part of all values in nonempty aligned N x N blocks that is stored: what a blocked format would not
waste. Duplicate entries are added up first. The recommended format is the one in which
a product with a vector is estimated to take the least time, from the number of stored values, rows, blocks and
diagonals; the bytes of every candidate are exact.";

const COMPLETIONS_HELP: &str = "\
Examples:
  openwork completions bash > ~/.local/share/bash-completion/completions/openwork
  openwork completions zsh > ~/.zfunc/_openwork";

/// How results and errors are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputMode {
    /// For people.
    Human,
    /// One JSON object.
    Json,
}

/// `--json`, wherever it is accepted.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct JsonFlag {
    /// Print one JSON object; errors become one on stderr
    #[arg(long)]
    json: bool,
}

impl JsonFlag {
    pub(crate) fn mode(self) -> OutputMode {
        if self.json { OutputMode::Json } else { OutputMode::Human }
    }
}

/// `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedValue {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Splits at the first `=`, so that values may contain more of them.
fn pair(text: &str) -> Result<NamedValue, String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let name = name.trim();
    let plain = |c: char| c.is_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        return Err(format!("expected NAME=VALUE, and `{name}` is no name"));
    }
    if value.trim().is_empty() {
        return Err(format!("nothing follows `{name}=`"));
    }
    Ok(NamedValue { name: name.into(), value: value.into() })
}

/// `NAME=FILE`, or a file for the only result, which then has no name.
fn output(text: &str) -> Result<NamedValue, String> {
    let plain = |c: char| c.is_alphanumeric() || c == '_';
    match text.split_once('=') {
        Some((name, _)) if name.trim().chars().all(plain) => pair(text),
        _ if text.trim().is_empty() => Err("expected NAME=FILE or FILE".into()),
        _ => Ok(NamedValue { name: String::new(), value: text.into() }),
    }
}

/// What `run` and `compile` both say about tensors.
#[derive(Args, Debug)]
pub(crate) struct TensorFlags {
    /// What to compute: `y(i) = A(i,j) * x(j)`, or several statements: `y(i) = A(i,j) * x(j); n = y(i) * y(i)`
    pub(crate) statement: String,
    /// How a tensor is stored: csr, coo, csf, dense, dia, ell, bcsr(3,3), `ds:1,0`, … or in full: see below
    #[arg(short, long = "format", value_name = "NAME=FORMAT", value_parser = pair)]
    pub(crate) formats: Vec<NamedValue>,
    /// A tensor's element type: f64, f32, i32, c128, bool, …
    #[arg(short = 't', long = "dtype", value_name = "NAME=DTYPE", value_parser = pair)]
    pub(crate) dtypes: Vec<NamedValue>,
    /// The size of an index variable, `i=100`, or of all modes of a tensor, `A=100,200`
    #[arg(short, long = "dim", value_name = "NAME=SIZE", value_parser = pair)]
    pub(crate) dims: Vec<NamedValue>,
    /// Rewrite the plan: `reorder(i,k,j); precompute(B(i,k)*C(k,j), j, w, hash)`, see below; repeated ones come after
    #[arg(short, long = "schedule", value_name = "COMMANDS")]
    pub(crate) schedule: Vec<String>,
    /// Take another candidate than the planner's choice: a number of those that `openwork explain` compares it with
    #[arg(
        long = "use",
        value_name = "N",
        default_value_t = 0,
        conflicts_with = "schedule",
        hide_default_value = true
    )]
    pub(crate) candidate: usize,
    /// Compute as NumPy does with dense arrays: 0 * inf is NaN, also where the 0 is not stored (by default it is 0), and products
    /// are rounded before they are added (no fused multiply-add)
    #[arg(long)]
    pub(crate) exact: bool,
    #[command(flatten)]
    pub(crate) json: JsonFlag,
}

/// Where coordinates begin in files that leave it open.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct BaseFlag {
    /// The least coordinate in .tns files, 0 or 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=1))]
    base: u8,
}

impl BaseFlag {
    /// Whether coordinates begin at 0.
    pub(crate) fn is_zero(self) -> bool {
        self.base == 0
    }
}

/// `openwork run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) tensors: TensorFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    /// Write a result; a FILE alone is that of the only one
    #[arg(short, long = "output", value_name = "NAME=FILE", value_parser = output)]
    pub(crate) outputs: Vec<NamedValue>,
    /// What runs the kernel [default: OPENWORK_BACKEND, or clif]
    #[arg(long, value_enum)]
    pub(crate) backend: Option<BackendName>,
    #[command(flatten)]
    pub(crate) source: SourceFlags,
    /// Time N runs after one that is not counted
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) time: Option<u32>,
    /// Try variant N of the plan first, as `explain` numbers them; the next one runs where it cannot be right. Of several
    /// statements, those with a variant N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) variant: Option<u32>,
    /// Compute the result on the checking interpreter as well, and compare: to rounding, as it sums in another order
    #[arg(long)]
    pub(crate) verify: bool,
    /// Threads to use at most [default: OPENWORK_THREADS or OMP_NUM_THREADS, or one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) threads: Option<u32>,
}

/// A C function in place of generated code.
#[derive(Args, Debug)]
pub(crate) struct SourceFlags {
    /// Call a C function of this file instead of generated code, as `compile --emit c` wrote it and you edited it
    #[arg(long, value_name = "FILE", conflicts_with = "backend")]
    pub(crate) source: Option<PathBuf>,
    /// The name of the C function [default: kernel]
    #[arg(long, value_name = "NAME", requires = "source")]
    pub(crate) name: Option<String>,
}

/// A backend by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendName {
    /// Cranelift, in the process
    Clif,
    /// The system's C compiler
    C,
    /// The bounds-checking interpreter
    Interp,
}

impl BackendName {
    pub(crate) fn kind(self) -> BackendKind {
        match self {
            BackendName::Clif => BackendKind::Clif,
            BackendName::C => BackendKind::C,
            BackendName::Interp => BackendKind::Interp,
        }
    }
}

/// `openwork compile`.
#[derive(Args, Debug)]
pub(crate) struct CompileArgs {
    #[command(flatten)]
    pub(crate) tensors: TensorFlags,
    /// Which stages to print; several may be given
    #[arg(long, value_enum, value_delimiter = ',', default_value = "loops")]
    pub(crate) emit: Vec<EmitStage>,
    /// Write what is printed to a file
    #[arg(short, long = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) file: CFileFlags,
}

/// What a C file is to hold.
#[derive(Args, Debug)]
pub(crate) struct CFileFlags {
    /// The C function's name, with which all names begin that other files see [default: kernel]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Write the declarations of the C functions to a header, which the C file includes
    #[arg(long, value_name = "FILE")]
    pub(crate) header: Option<PathBuf>,
    /// Only one of the C functions: `assemble` the structure of a sparse result, `compute` its values, or do both (`fused`)
    #[arg(long, value_enum, value_name = "FUNCTION", default_value = "all", hide_default_value = true)]
    pub(crate) functions: FunctionsName,
    /// Add a C `main` that calls the function with small operands and prints what it makes
    #[arg(long)]
    pub(crate) with_main: bool,
}

/// Functions of a C file by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FunctionsName {
    /// Whatever there is
    All,
    /// Structure and values at once
    Fused,
    /// The structure of a sparse result
    Assemble,
    /// The values for a structure that is there
    Compute,
}

impl FunctionsName {
    pub(crate) fn functions(self) -> SourceFunctions {
        match self {
            FunctionsName::All => SourceFunctions::All,
            FunctionsName::Fused => SourceFunctions::Fused,
            FunctionsName::Assemble => SourceFunctions::Assemble,
            FunctionsName::Compute => SourceFunctions::Compute,
        }
    }
}

/// `openwork explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) tensors: TensorFlags,
    /// Measure an operand in a file
    #[arg(short, long = "input", value_name = "NAME=FILE", value_parser = pair)]
    pub(crate) inputs: Vec<NamedValue>,
    #[command(flatten)]
    pub(crate) base: BaseFlag,
}

/// Where operands come from.
#[derive(Args, Debug)]
pub(crate) struct DataFlags {
    /// Read an operand from a file: .mtx, .tns, .npy, .npz or .smtx, gzip'd or not
    #[arg(short, long = "input", value_name = "NAME=FILE", value_parser = pair)]
    pub(crate) inputs: Vec<NamedValue>,
    /// Generate an operand; its shape follows from the other operands and -d
    #[arg(short, long = "generate", value_name = "NAME=GENERATOR", value_parser = pair)]
    pub(crate) generators: Vec<NamedValue>,
    #[command(flatten)]
    pub(crate) base: BaseFlag,
}

/// `openwork tune`.
#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) tensors: TensorFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    /// How many candidates of each choice of formats to run
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=9))]
    pub(crate) best: u32,
    /// Threads to use at most [default: OPENWORK_THREADS or OMP_NUM_THREADS, or one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) threads: Option<u32>,
}

/// A stage of compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitStage {
    /// Concrete index notation: loops, order, workspaces
    Cin,
    /// The iteration lattice of every loop
    Lattice,
    /// The iteration graph: what each loop runs over, and what is done there
    Graph,
    /// Loop IR
    Loops,
    /// C with typed functions, for any program; needs no compiler
    C,
    /// Cranelift IR
    Clif,
    /// All machine code
    Asm,
}

/// `openwork convert`.
#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// The file to read
    #[arg(value_name = "IN")]
    pub(crate) from: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    pub(crate) to_file: PathBuf,
    /// The format to store the tensor in before it is written
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Print what the conversion compiles to and how much memory its result takes before it runs
    #[arg(long, requires = "to")]
    pub(crate) explain: bool,
    /// The element type to read
    #[arg(short = 't', long, value_name = "DTYPE")]
    pub(crate) dtype: Option<String>,
    #[command(flatten)]
    pub(crate) base: BaseFlag,
    #[command(flatten)]
    pub(crate) json: JsonFlag,
}

/// `openwork info`.
#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    /// The file to describe
    pub(crate) file: PathBuf,
    /// Draw the pattern of a matrix into a .svg or .png file
    #[arg(long, value_name = "PICTURE")]
    pub(crate) plot: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) base: BaseFlag,
    #[command(flatten)]
    pub(crate) json: JsonFlag,
}
