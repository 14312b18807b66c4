//! C files for programs of other people: typed entry points around kernels, a header, and a host that grows memory.
//!
//! ```text
//! int spmv(int64_t i_dim, int64_t j_dim, const int64_t *A2_pos, …, double *y_vals)
//!     what a kernel wants: { pointer, room, length } per buffer, numbers, a function that grows buffers
//!  -> static int32_t spmv_kernel(openwork_call *call)
//! ```
//! Everything but the entry points is static, so files go together. Arrays of a result whose sizes nobody knows before are
//! the fields of one struct, which grows and is freed by a function of its own.

use crate::example::{self, Example};
use crate::spell::{CNames, c_type, is_word};
use crate::unit::{FileFunctions, one_line, print_named};
use openwork_algebra::DType;
use openwork_base::{Error, Result};
use openwork_loops::{Buf, Init, LoopKernel};
use std::fmt::Write;

/// A number that a kernel takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberSource {
    /// An argument of the entry point, with what it is.
    Given(String),
    /// The sum of other parameters of the kernel, by their numbers; 0 for none.
    Sum(Vec<usize>),
}

/// Where a buffer of a kernel comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArraySource {
    /// The caller's, to be read; with what it holds.
    Read(String),
    /// The caller's, as large as the product of some parameters of the kernel; with what it holds afterwards.
    Filled(String, Vec<usize>),
    /// A field of the result, which grows; with what it holds.
    Made(String),
    /// A field of the result, which was made before.
    Known(String),
    /// The kernel's own.
    Own,
    /// Nowhere: the kernel does not read it.
    Unread,
}

/// One function that a program may call.
#[derive(Clone, Debug)]
pub struct CEntry<'k> {
    /// Its name.
    pub name: String,
    /// What it does, in one line.
    pub about: String,
    /// What it runs.
    pub kernel: &'k LoopKernel,
    /// What runs instead where its result has NaN; of the same parameters and buffers.
    pub deciding: Option<&'k LoopKernel>,
    /// One for each parameter of the kernel.
    pub numbers: Vec<NumberSource>,
    /// One for each buffer of the kernel.
    pub arrays: Vec<ArraySource>,
}

/// What goes into one file.
#[derive(Clone, Debug)]
pub struct CProgram<'k> {
    /// The name of the first entry point, which begins all names that others see.
    pub name: String,
    /// What a reader should know, line by line.
    pub remarks: Vec<String>,
    /// The functions; the struct of the result has the fields of all.
    pub entries: Vec<CEntry<'k>>,
    /// The header's name, where it is a file of its own.
    pub header: Option<String>,
    /// Arguments for a `main` that calls the first entry point.
    pub example: Option<Example>,
}

/// The text of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramText {
    /// The C file.
    pub source: String,
    /// The header.
    pub header: String,
}

/// Longer declarations have a line for each argument.
const WIDTH: usize = 150;
/// Words of C++ beside those of C: a name that C takes may be none in a header that C++ reads.
const CPP: &str = "alignas alignof and and_eq asm bitand bitor catch char16_t char32_t char8_t class co_await co_return \
    co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export friend \
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
    reinterpret_cast requires static_assert static_cast template this thread_local throw try \
    typeid typename using virtual wchar_t xor xor_eq inline restrict";

/// Whether a function may have this name in C and in C++: `spmv` may, `new` and `2d` may not.
///
/// ```
/// use openwork_backend_c::program::is_name;
/// assert_eq!(["spmv", "new", "2d", "openwork_x"].map(is_name), [true, false, false, false]);
/// ```
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(plain)
        && !is_word(name)
        && !CPP.split(' ').any(|w| w == name)
}

/// Prints a program.
///
/// # Errors
/// A bug where an entry point does not describe its kernel.
pub fn print(program: &CProgram) -> Result<ProgramText> {
    let signatures: Vec<EntrySignature> =
        program.entries.iter().map(EntrySignature::from_entry).collect::<Result<_>>()?;
    let fields = fields(&program.entries);
    let header = header(program, &signatures, &fields);
    let inner: Vec<String> = program.entries.iter().map(|e| format!("{}_kernel", e.name)).collect();
    let other: Vec<(String, &LoopKernel)> =
        program.entries.iter().filter_map(|e| Some((format!("{}_deciding", e.name), e.deciding?))).collect();
    let kernels = inner.iter().map(String::as_str).zip(program.entries.iter().map(|e| e.kernel));
    let kernels: Vec<(&str, &LoopKernel)> =
        kernels.chain(other.iter().map(|(name, k)| (name.as_str(), *k))).collect();
    let FileFunctions { opening, code, names } = print_named(&kernels)?;
    let mut source = String::new();
    match &program.header {
        Some(name) => {
            let _ = write!(source, "{}\n#include \"{name}\"\n", remarks(program));
        }
        None => source.push_str(&header),
    }
    let _ = write!(source, "\n{HOST}\n{opening}\n{GROW}\n{code}");
    let mut deciding = names[program.entries.len()..].iter();
    let parts: Vec<String> = program
        .entries
        .iter()
        .zip(&signatures)
        .zip(&names)
        .map(|((entry, signature), inner)| {
            let other = entry.deciding.and_then(|_| deciding.next());
            definition(program, entry, signature, inner, other.map(String::as_str))
        })
        .collect();
    source.push_str(&parts.join("\n"));
    if !fields.is_empty() {
        let _ = write!(source, "\n{}", free_fields(program, &fields));
    }
    if let (Some(example), Some(entry), Some(signature)) =
        (&program.example, program.entries.first(), signatures.first())
    {
        let _ = write!(source, "\n{}", example::main(program, entry, signature, &fields, example));
    }
    Ok(ProgramText { source, header })
}

/// The names that an entry point gives its arguments.
pub(crate) struct EntrySignature {
    /// One for each parameter of the kernel that is an argument.
    pub(crate) numbers: Vec<Option<String>>,
    /// One for each buffer of the kernel.
    pub(crate) arrays: Vec<String>,
}

impl EntrySignature {
    pub(crate) fn from_entry(entry: &CEntry) -> Result<EntrySignature> {
        let k = entry.kernel;
        if entry.numbers.len() != k.params.len() || entry.arrays.len() != k.bufs.len() {
            return Err(Error::bug(
                crate::STEP,
                "an entry point that is not its kernel's",
                entry.name.clone(),
            ));
        }
        let mut names = reserve_names();
        let mut give = |(number, var): (&NumberSource, &openwork_loops::VarId)| match number {
            NumberSource::Given(_) => Some(names.give(&k.vars[*var].name)),
            NumberSource::Sum(_) => None,
        };
        let numbers = entry.numbers.iter().zip(&k.params).map(&mut give).collect();
        let arrays = k.bufs.iter().map(|(_, b)| names.give(&b.name)).collect();
        Ok(EntrySignature { numbers, arrays })
    }
}

/// Names, without those that entry points use themselves.
fn reserve_names() -> CNames {
    let mut names = CNames::default();
    for taken in ["bufs", "params", "kinds", "result", "n", "printf"] {
        names.give(taken);
    }
    names
}

/// A field of the result.
pub(crate) struct ResultField {
    /// The name of the buffer.
    pub(crate) buffer: String,
    pub(crate) name: String,
    pub(crate) elem: DType,
    about: String,
}

/// The fields of the result, as the entry points mention them.
pub(crate) fn fields(entries: &[CEntry]) -> Vec<ResultField> {
    let (mut out, mut names) = (Vec::<ResultField>::new(), CNames::default());
    for (entry, (array, (_, buf))) in
        entries.iter().flat_map(|e| std::iter::repeat(e).zip(e.arrays.iter().zip(e.kernel.bufs.iter())))
    {
        debug_assert_eq!(entry.arrays.len(), entry.kernel.bufs.len());
        if let ArraySource::Made(about) | ArraySource::Known(about) = array
            && !out.iter().any(|f| f.buffer == buf.name)
        {
            let (name, about) = (names.give(&buf.name), about.clone());
            out.push(ResultField { buffer: buf.name.clone(), name, elem: buf.elem, about });
        }
    }
    out
}

/// The C type of an element as others see it.
pub(crate) fn shown_type(elem: DType) -> String {
    let prefix = if elem.is_complex() { "openwork_" } else { "" };
    format!("{prefix}{}", c_type(elem))
}

/// Whether an entry point takes the struct of the result.
pub(crate) fn takes_result(entry: &CEntry) -> bool {
    entry.arrays.iter().any(|a| matches!(a, ArraySource::Made(_) | ArraySource::Known(_)))
}

fn remarks(program: &CProgram) -> String {
    let lines: Vec<String> = program.remarks.iter().map(|r| one_line(r)).collect();
    comment(&lines)
}

/// Lines as a comment.
fn comment(lines: &[String]) -> String {
    let line = |l: &String| format!("{}\n", format!(" * {}", l.replace("*/", "* /")).trim_end());
    format!("/*\n{} */\n", lines.iter().map(line).collect::<String>())
}

/// The types of complex numbers, where there are some.
pub(crate) fn types(elems: &[DType]) -> String {
    let mut text = String::new();
    for elem in [DType::C64, DType::C128].into_iter().filter(|e| elems.contains(e)) {
        let (ty, part) = (shown_type(elem), c_type(elem.real()));
        let _ = write!(
            text,
            "\n#ifndef {ty}_defined\n#define {ty}_defined\ntypedef struct {{\n    {part} re, im;\n}} {ty};\n#endif\n"
        );
    }
    text
}

fn header(program: &CProgram, signatures: &[EntrySignature], fields: &[ResultField]) -> String {
    let name = &program.name;
    let mut text = format!(
        "{}#ifndef openwork_{name}_h\n#define openwork_{name}_h\n\n#include <stdbool.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n",
        remarks(program)
    );
    let elems: Vec<DType> =
        program.entries.iter().flat_map(|e| e.kernel.bufs.iter().map(|(_, b)| b.elem)).collect();
    text.push_str(&types(&elems));
    if !fields.is_empty() {
        let _ = write!(
            text,
            "\n/* The arrays of the result. Begin with zeros, as in `{name}_result c = {{0}};`: each call uses the memory that\n \
             * is there and makes it larger where that does not do. */\ntypedef struct {{\n"
        );
        for ResultField { name, elem, about, .. } in fields {
            let ty = shown_type(*elem);
            let _ = writeln!(text, "    {ty} *{name}; /* {} */\n    int64_t {name}_len;", one_line(about));
        }
        let _ = writeln!(text, "}} {name}_result;");
    }
    for (entry, signature) in program.entries.iter().zip(signatures) {
        let _ = write!(
            text,
            "\n{}{};\n",
            describe_entry(entry, signature),
            entry_head(program, entry, signature)
        );
    }
    if !fields.is_empty() {
        let _ = write!(
            text,
            "\n/* Frees the arrays of a result, which has none then. */\nvoid {name}_free({name}_result *result);\n"
        );
    }
    text.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    text
}

/// What an entry point does, and what its arguments are.
fn describe_entry(entry: &CEntry, signature: &EntrySignature) -> String {
    let mut lines = vec![one_line(&entry.about)];
    for (name, number) in signature.numbers.iter().zip(&entry.numbers) {
        if let (Some(name), NumberSource::Given(about)) = (name, number) {
            lines.push(format!("  {name}: {}", one_line(about)));
        }
    }
    for (name, array) in signature.arrays.iter().zip(&entry.arrays) {
        if let ArraySource::Read(about) | ArraySource::Filled(about, _) = array {
            lines.push(format!("  {name}: {}", one_line(about)));
        }
    }
    if takes_result(entry) {
        lines.push("  result: the arrays of the result".into());
    }
    lines.push(
        "Gives 0, or 1 where memory runs out, 2 where a position or coordinate does not fit its array,"
            .into(),
    );
    lines.push("5 where coordinates collide in a hash table.".into());
    comment(&lines)
}

/// The head of an entry point.
pub(crate) fn entry_head(program: &CProgram, entry: &CEntry, signature: &EntrySignature) -> String {
    let mut arguments: Vec<String> =
        signature.numbers.iter().flatten().map(|name| format!("int64_t {name}")).collect();
    for ((name, array), (_, buf)) in signature.arrays.iter().zip(&entry.arrays).zip(entry.kernel.bufs.iter())
    {
        let ty = shown_type(buf.elem);
        match array {
            ArraySource::Read(_) => arguments.push(format!("const {ty} *{name}")),
            ArraySource::Filled(..) => arguments.push(format!("{ty} *{name}")),
            ArraySource::Made(_) | ArraySource::Known(_) | ArraySource::Own | ArraySource::Unread => {}
        }
    }
    if takes_result(entry) {
        arguments.push(format!("{}_result *result", program.name));
    }
    let line = format!("int {}({})", entry.name, arguments.join(", "));
    if line.len() <= WIDTH {
        line
    } else {
        format!("int {}(\n    {})", entry.name, arguments.join(",\n    "))
    }
}

/// How an entry point hands memory to its kernel.
struct Handed {
    /// What the kernel finds.
    slot: String,
    /// What the host knows of it: bytes of an element, whether more room holds zeros, whether it stays as it is.
    kind: [u8; 3],
    /// What is done before the call.
    before: String,
    /// What is done after it.
    after: String,
}

fn hand_over(
    array: &ArraySource,
    name: &str,
    field: &str,
    buf: &Buf,
    n: usize,
    numbers: &[String],
) -> Handed {
    let size = buf.elem.size() as u8;
    let zeros = buf.init != Init::Uninit;
    let clear = |what: &str, count: &str| match zeros {
        true => {
            format!("    if ({what})\n        __builtin_memset({what}, 0, (uint64_t){count} * {size});\n")
        }
        false => String::new(),
    };
    let none = String::new;
    match array {
        ArraySource::Read(_) => Handed {
            slot: format!("{{(void *){name}, 0, 0}}"),
            kind: [size, 0, 1],
            before: none(),
            after: none(),
        },
        ArraySource::Filled(_, sizes) => {
            let sizes: Vec<String> = sizes.iter().map(|&s| format!("(uint64_t){}", numbers[s])).collect();
            let count = if sizes.is_empty() { "1".to_string() } else { sizes.join(" * ") };
            let before = clear(name, &format!("({count})"));
            Handed { slot: format!("{{{name}, {count}, 0}}"), kind: [size, 0, 1], before, after: none() }
        }
        ArraySource::Known(_) => {
            let slot = format!("{{result->{field}, 0, 0}}");
            Handed { slot, kind: [size, 0, 1], before: none(), after: none() }
        }
        ArraySource::Made(_) => {
            let (place, count) = (format!("result->{field}"), format!("result->{field}_len"));
            let after =
                format!("    {place} = bufs[{n}].ptr;\n    {count} = status ? 0 : (int64_t)bufs[{n}].len;\n");
            let before = clear(&place, &count);
            let slot = format!("{{{place}, (uint64_t){count}, 0}}");
            Handed { slot, kind: [size, u8::from(zeros), 0], before, after }
        }
        ArraySource::Unread => {
            Handed { slot: "{0, 0, 0}".into(), kind: [size, 0, 1], before: none(), after: none() }
        }
        ArraySource::Own => {
            let after = format!("    OPENWORK_FREE(bufs[{n}].ptr);\n");
            Handed { slot: "{0, 0, 0}".into(), kind: [size, u8::from(zeros), 0], before: none(), after }
        }
    }
}

/// An entry point.
fn definition(
    program: &CProgram,
    entry: &CEntry,
    signature: &EntrySignature,
    inner: &str,
    deciding: Option<&str>,
) -> String {
    let numbers: Vec<String> = (0..entry.numbers.len()).map(|n| number(entry, signature, n)).collect();
    let fields = fields(&program.entries);
    let handed: Vec<Handed> = entry
        .kernel
        .bufs
        .iter()
        .enumerate()
        .map(|(n, (_, buf))| {
            let field = fields.iter().find(|f| f.buffer == buf.name).map_or("", |f| &f.name);
            hand_over(&entry.arrays[n], &signature.arrays[n], field, buf, n, &numbers)
        })
        .collect();
    let list = |each: &dyn Fn(&Handed) -> String| handed.iter().map(each).collect::<Vec<_>>().join(", ");
    let kinds = list(&|h| format!("{{{}, {}, {}}}", h.kind[0], h.kind[1], h.kind[2]));
    let slots = list(&|h| h.slot.clone());
    let params = if numbers.is_empty() { "0".to_string() } else { numbers.join(", ") };
    let all = |each: &dyn Fn(&Handed) -> &str| handed.iter().map(each).collect::<String>();
    format!(
        "{}\n{{\n    static const openwork_kind kinds[] = {{{kinds}}};\n    openwork_buf bufs[] = {{{slots}}};\n    \
         const int64_t params[] = {{{params}}};\n    \
         openwork_call call = {{bufs, params, openwork_grow, (void *)kinds, 0}};\n{}    \
         int32_t status = {inner}(&call);\n{}{}    return status;\n}}\n",
        entry_head(program, entry, signature),
        all(&|h| &h.before),
        deciding.map_or(String::new(), |deciding| second_call(entry, deciding, &numbers)),
        all(&|h| &h.after),
    )
}

/// A second call, of the kernel in which annihilators decide, where the first one made NaN: all memory is as it was before.
fn second_call(entry: &CEntry, deciding: &str, numbers: &[String]) -> String {
    let (mut doubt, mut again) = (String::new(), String::new());
    for (n, (array, (_, buf))) in entry.arrays.iter().zip(entry.kernel.bufs.iter()).enumerate() {
        let (ty, size, zeros) = (shown_type(buf.elem), buf.elem.size(), buf.init != Init::Uninit);
        let count = match array {
            ArraySource::Filled(_, sizes) if sizes.is_empty() => "1".to_string(),
            ArraySource::Filled(_, sizes) => {
                sizes.iter().map(|&s| format!("(uint64_t){}", numbers[s])).collect::<Vec<_>>().join(" * ")
            }
            ArraySource::Made(_) => format!("bufs[{n}].len"),
            ArraySource::Own => {
                let _ = writeln!(again, "        OPENWORK_FREE(bufs[{n}].ptr);\n        bufs[{n}].ptr = 0;");
                let _ = writeln!(again, "        bufs[{n}].cap = 0;");
                continue;
            }
            ArraySource::Read(_) | ArraySource::Known(_) | ArraySource::Unread => continue,
        };
        let other = match (buf.elem.is_complex(), buf.elem.is_float()) {
            (true, _) => "v[n].re != v[n].re || v[n].im != v[n].im",
            (false, true) => "v[n] != v[n]",
            (false, false) => "",
        };
        if !other.is_empty() {
            let _ = write!(
                doubt,
                "    {{\n        const {ty} *const v = bufs[{n}].ptr;\n        \
                 for (uint64_t n = 0; !status && n < {count}; n++)\n            doubt |= {other};\n    }}\n"
            );
        }
        if zeros {
            let _ = writeln!(again, "        if (bufs[{n}].ptr)");
            let _ =
                writeln!(again, "            __builtin_memset(bufs[{n}].ptr, 0, bufs[{n}].cap * {size});");
        }
        let _ = writeln!(again, "        bufs[{n}].len = 0;");
    }
    format!(
        "    /* Where a 0 met an infinity, the 0 decides. */\n    bool doubt = false;\n{doubt}    \
         if (doubt) {{\n{again}        status = {deciding}(&call);\n    }}\n"
    )
}

/// What the kernel gets as parameter `n`.
fn number(entry: &CEntry, signature: &EntrySignature, n: usize) -> String {
    match (&signature.numbers[n], &entry.numbers[n]) {
        (Some(name), _) => name.clone(),
        (None, NumberSource::Sum(of)) if !of.is_empty() => {
            let terms: Vec<String> = of.iter().map(|&m| number(entry, signature, m)).collect();
            terms.join(" + ")
        }
        (None, _) => "0".into(),
    }
}

fn free_fields(program: &CProgram, fields: &[ResultField]) -> String {
    let name = &program.name;
    let mut text = format!("void {name}_free({name}_result *result)\n{{\n");
    for ResultField { name, .. } in fields {
        let _ = writeln!(text, "    OPENWORK_FREE(result->{name});");
        let _ = writeln!(text, "    result->{name} = 0;\n    result->{name}_len = 0;");
    }
    text + "}\n"
}

const HOST: &str = "\
/* Define both to take memory from somewhere else. */
#ifndef OPENWORK_REALLOC
#include <stdlib.h>
#define OPENWORK_REALLOC(memory, bytes) realloc(memory, bytes)
#define OPENWORK_FREE(memory) free(memory)
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic ignored \"-Wtype-limits\"
#endif
";

const GROW: &str = "\
typedef struct {
    uint8_t size, zeros, fixed;
} openwork_kind;

/* Makes a buffer larger, on behalf of a kernel. */
static int32_t openwork_grow(openwork_call *call, uint64_t buf, uint64_t cap)
{
    const openwork_kind kind = ((const openwork_kind *)call->host)[buf];
    openwork_buf *const grown = &call->bufs[buf];
    const uint64_t twice = grown->cap < 8 ? 16 : 2 * grown->cap;
    if (kind.fixed || cap > INT64_MAX / kind.size)
        return 1;
    const uint64_t room = cap < twice && twice <= INT64_MAX / kind.size ? twice : cap;
    char *const memory = OPENWORK_REALLOC(grown->ptr, room * kind.size);
    if (!memory)
        return 1;
    if (kind.zeros)
        __builtin_memset(memory + grown->cap * kind.size, 0, (room - grown->cap) * kind.size);
    grown->ptr = memory;
    grown->cap = room;
    return 0;
}
";
