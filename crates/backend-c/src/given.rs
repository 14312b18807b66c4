//! C files of other people, called as kernels are: [`program`](crate::program)'s functions, perhaps edited by hand.
//!
//! ```text
//! their text, in which an entry point is int spmv(int64_t i_dim, …, double *y_vals)
//!  -> their text, and behind it
//!     int spmv(int64_t i_dim, …, double *y_vals);                  a compiler refuses another function of that name,
//!                                                                   and a linker one that the file does not have
//!     int32_t openwork_given(openwork_given_call *call)            makes room, calls it, takes what it made
//! ```
//! What the function does with its arguments is its own: it is native code, and nobody checks its accesses.

use crate::STEP;
use crate::program::{
    ArraySource, CEntry, CProgram, EntrySignature, NumberSource, ResultField, entry_head, fields, types,
};
use crate::toolchain::{BuildOutcome, LoadedCode, Toolchain};
use openwork_backend::{Call, Compiled};
use openwork_base::{Code as ErrorCode, Diagnostic, Error, Result};
use openwork_loops::Status;
use std::fmt::Write;
use std::path::Path;

/// A C file that somebody wrote.
#[derive(Clone, Copy, Debug)]
pub struct GivenFile<'a> {
    /// Where it was read; messages name it, and headers are found beside it.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a str,
}

/// A file that does not hold the function that is wanted.
const OTHER: ErrorCode = ErrorCode("E0819");
/// Memory that the function did not get, where it asked somebody else than us.
const MEMORY: ErrorCode = ErrorCode("E0603");
/// How the adapter tells that apart; what is wrong with array `n` of the kernel are the codes after it.
const OUT_OF_MEMORY: i32 = i32::MIN;
/// The code of a length below 0 of array 0. The next one is that of a null pointer for one with elements.
const NO_LENGTH: i32 = OUT_OF_MEMORY + 1;
/// The function that is called as kernels are.
const ADAPTER: &str = "openwork_given";
/// What it is called with, under names that no file has.
const CONVENTION: &str = "\
#include <stdint.h>

typedef struct {
    void *ptr;
    uint64_t cap, len;
} openwork_given_buf;

typedef struct openwork_given_call {
    openwork_given_buf *bufs;
    const int64_t *params;
    int32_t (*grow)(struct openwork_given_call *call, uint64_t buf, uint64_t cap);
} openwork_given_call;

static int32_t openwork_given_room(openwork_given_call *call, uint64_t buf, uint64_t len)
{
    const int32_t status = len > call->bufs[buf].cap ? call->grow(call, buf, len) : 0;
    if (!status)
        call->bufs[buf].len = len;
    return status;
}
";
/// What takes an array of the result.
const TAKEN: &str = "
static int32_t openwork_given_taken(openwork_given_call *call, uint64_t buf, const void *from, int64_t len, uint64_t size)
{
    if (len < 0)
        return INT32_MIN + 1 + 2 * (int32_t)buf;
    if (len && !from)
        return INT32_MIN + 2 + 2 * (int32_t)buf;
    const int32_t status = openwork_given_room(call, buf, (uint64_t)len);
    if (!status && len)
        __builtin_memcpy(call->bufs[buf].ptr, from, (uint64_t)len * size);
    return status;
}
";

/// Marks a function that the file itself has to define: the linker takes one of this name from nowhere else, as `puts` from
/// the library of C.
const OWN: &str = "__attribute__((visibility(\"hidden\"))) ";

/// Compiles a file and takes the first entry point of `program` out of it.
///
/// # Errors
/// `E0819` for a file that does not compile, has no function of that name, or has one of another type; `E0501` without a
/// compiler.
pub fn compile(program: &CProgram, file: &GivenFile) -> Result<Box<dyn Compiled>> {
    let Some(entry) = program.entries.first() else {
        return Err(Error::bug(STEP, "a program without an entry point", program.name.clone()));
    };
    let signature = EntrySignature::from_entry(entry)?;
    let declared = entry_head(program, entry, &signature);
    let fields = fields(std::slice::from_ref(entry));
    let toolchain = Toolchain::find()?.with_include_path(file.path);
    let shown = file.path.display().to_string();
    let theirs = format!("#line 1 \"{}\"\n{}\n", escape_path(&shown), file.text);
    let ours = |own| adapter(program, entry, &declared, &signature, &fields, own);
    let text = |own| format!("{theirs}#line 1 \"{ADAPTER}\"\n{}", ours(own));
    let refused =
        |message: String, help: String| Error::rejection(Diagnostic::new(OTHER, message).help(help));
    let like = format!("the function that is called is {declared}");
    let lacks = |symbol: &str| {
        let others = public_functions(file.text);
        let has = if others.is_empty() { like.clone() } else { format!("{like}; there are {others}") };
        refused(format!("{shown} has no function `{symbol}`"), has)
    };
    let unloaded = |problem: String| match problem.rsplit_once("undefined symbol: ") {
        Some((_, symbol)) => lacks(symbol),
        None => refused(format!("{shown} cannot be loaded: {problem}"), like.clone()),
    };
    let adapters = [ADAPTER.to_string()];
    let messages = match toolchain.object(&text(OWN))? {
        BuildOutcome::Object(object) => {
            let code = object.functions(&adapters).map_err(unloaded)?.pop();
            let code = code.ok_or_else(|| Error::bug(STEP, "an object without a function", ours(OWN)))?;
            let arrays = signature.arrays.clone();
            return Ok(Box::new(Called { code, name: entry.name.clone(), file: shown, arrays }));
        }
        BuildOutcome::Refused(messages) => messages,
    };
    // Where the text is a C file by itself, what it has is not what is called.
    if let BuildOutcome::Refused(messages) = toolchain.object(&theirs)? {
        return Err(refused(
            format!("{shown} does not compile: {messages}"),
            "`compile --emit c` writes a file to begin with".into(),
        ));
    }
    // What is only wanted from the file itself may be found elsewhere, or nowhere.
    Err(match toolchain.object(&text(""))? {
        BuildOutcome::Object(object) => match object.functions(&adapters) {
            Ok(_) => lacks(&entry.name),
            Err(problem) => unloaded(problem),
        },
        BuildOutcome::Refused(_) => refused(
            format!("`{}` of {shown} is no function for this statement: {messages}", entry.name),
            like,
        ),
    })
}

/// The functions of a text that others may call, as files of ours have them.
fn public_functions(text: &str) -> String {
    let name = |line: &str| Some(line.strip_prefix("int ")?.split_once('(')?.0.to_string());
    let mut names: Vec<String> = text.lines().filter_map(name).collect();
    names.sort();
    names.dedup();
    names.join(", ")
}

/// A path in a string of C.
fn escape_path(path: &str) -> String {
    path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}

/// The function that is called as kernels are, and calls the entry point.
fn adapter(
    program: &CProgram,
    entry: &CEntry,
    declared: &str,
    signature: &EntrySignature,
    fields: &[ResultField],
    own: &str,
) -> String {
    let name = &program.name;
    let given = |n: usize| match entry.numbers[n] {
        NumberSource::Given(_) => Some(format!("call->params[{n}]")),
        NumberSource::Sum(_) => None,
    };
    let mut arguments: Vec<String> = (0..signature.numbers.len()).filter_map(given).collect();
    let (mut before, mut after) = (String::new(), String::new());
    for (n, (array, (_, buf))) in entry.arrays.iter().zip(entry.kernel.bufs.iter()).enumerate() {
        match array {
            ArraySource::Read(_) => arguments.push(format!("call->bufs[{n}].ptr")),
            ArraySource::Filled(_, sizes) => {
                let sizes: Vec<String> =
                    sizes.iter().map(|m| format!("(uint64_t)call->params[{m}]")).collect();
                let len = if sizes.is_empty() { "1".to_string() } else { sizes.join(" * ") };
                let _ = writeln!(
                    before,
                    "    if (!status)\n        status = openwork_given_room(call, {n}, {len});"
                );
                arguments.push(format!("call->bufs[{n}].ptr"));
            }
            ArraySource::Made(_) | ArraySource::Known(_) => {
                let field = fields.iter().find(|f| f.buffer == buf.name).map_or("", |f| &f.name);
                let (from, size) = (format!("result.{field}, result.{field}_len"), buf.elem.size());
                let _ = writeln!(
                    after,
                    "    if (!status)\n        status = openwork_given_taken(call, {n}, {from}, {size});"
                );
            }
            ArraySource::Own | ArraySource::Unread => {}
        }
    }
    let (mut opening, mut freeing) = (CONVENTION.to_string(), String::new());
    if !fields.is_empty() {
        arguments.push("&result".into());
        before.push_str(&format!("    {name}_result result = {{0}};\n"));
        after.push_str(&format!("    {name}_free(&result);\n"));
        opening.push_str(TAKEN);
        freeing = format!("{own}void {name}_free({name}_result *result);\n");
    }
    let elems: Vec<_> = entry.kernel.bufs.iter().map(|(_, b)| b.elem).collect();
    format!(
        "{opening}{}\n{own}{declared};\n{freeing}\nint32_t {ADAPTER}(openwork_given_call *call)\n{{\n    \
         int32_t status = 0;\n{before}    if (!status) {{\n        status = {}({});\n        \
         status = status == 1 ? INT32_MIN : status;\n    }}\n{after}    return status;\n}}\n",
        types(&elems),
        entry.name,
        arguments.join(", ")
    )
}

/// An entry point of somebody's file.
struct Called {
    code: LoadedCode,
    name: String,
    file: String,
    /// The names of the kernel's arrays.
    arrays: Vec<String>,
}

impl Called {
    /// What is wrong with an array, by the code of the adapter.
    fn wrong_array(&self, status: i32) -> Option<String> {
        let n = status.wrapping_sub(NO_LENGTH);
        let array = self.arrays.get(usize::try_from(n).ok()? / 2)?;
        Some(match n % 2 {
            0 => format!("`{array}` a length below 0, which is none"),
            _ => format!("a length for `{array}`, but no array"),
        })
    }
}

impl Compiled for Called {
    fn bytes(&self) -> usize {
        self.code.bytes()
    }
    unsafe fn run(&self, call: &mut Call<'_>) -> Result<Status> {
        // SAFETY: the caller's promise; what is done with the call is as for kernels, and the function that is called in
        // between is whoever's who gave the file.
        let status = unsafe { self.code.enter(call) };
        if status == OUT_OF_MEMORY {
            let message = format!("`{}` of {} says that memory ran out", self.name, self.file);
            return Err(Error::rejection(Diagnostic::new(MEMORY, message)));
        }
        if let Some(wrong) = self.wrong_array(status) {
            let message = format!("`{}` of {} gave {wrong}", self.name, self.file);
            let help = "the struct of the result has an array for every length that is not 0";
            return Err(Error::rejection(Diagnostic::new(OTHER, message).help(help)));
        }
        match Status::from_code(status) {
            Some(status) if !matches!(status, Status::CheckFailed | Status::Cancelled) => Ok(status),
            Some(_) | None => {
                let message = format!("`{}` of {} gave {status}, which is no status", self.name, self.file);
                let help = "0 says that all is well, 1 that memory ran out, 2 that a position does not fit its array";
                Err(Error::rejection(Diagnostic::new(OTHER, message).help(help)))
            }
        }
    }
}
