//! A `main` that calls an entry point with small operands and prints what it made.

use crate::program::{
    ArraySource, CEntry, CProgram, EntrySignature, NumberSource, ResultField, shown_type, takes_result,
};
use crate::spell::literal;
use openwork_algebra::{DType, DTypeKind, Scalar};
use std::fmt::Write;

/// Arguments of an entry point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Example {
    /// One for each number that is given.
    pub numbers: Vec<i64>,
    /// One for each array that is read.
    pub arrays: Vec<Vec<Scalar>>,
}

/// The function.
pub(crate) fn main(
    program: &CProgram,
    entry: &CEntry,
    signature: &EntrySignature,
    fields: &[ResultField],
    example: &Example,
) -> String {
    let mut text = String::from("#include <stdio.h>\n\nint main(void)\n{\n");
    let mut arguments: Vec<String> = Vec::new();
    let mut given = example.numbers.iter();
    let values: Vec<i64> = entry
        .numbers
        .iter()
        .map(|n| match n {
            NumberSource::Given(_) => given.next().copied().unwrap_or(0),
            NumberSource::Sum(_) => 0,
        })
        .collect();
    for (name, value) in signature.numbers.iter().zip(&values) {
        if let Some(name) = name {
            let _ = writeln!(text, "    const int64_t {name} = {value};");
            arguments.push(name.clone());
        }
    }
    let mut read = example.arrays.iter();
    let mut shown = String::new();
    for ((name, array), (_, buf)) in signature.arrays.iter().zip(&entry.arrays).zip(entry.kernel.bufs.iter())
    {
        let ty = shown_type(buf.elem);
        match array {
            ArraySource::Read(_) => {
                let list: Vec<String> = read.next().into_iter().flatten().map(|s| element(*s)).collect();
                let list = if list.is_empty() { zero(buf.elem).to_string() } else { list.join(", ") };
                let _ = writeln!(text, "    static const {ty} {name}[] = {{{list}}};");
                arguments.push(name.clone());
            }
            ArraySource::Filled(_, sizes) => {
                let count: i64 = sizes.iter().map(|&s| values[s]).product();
                let _ = writeln!(text, "    static {ty} {name}[{}];", count.max(1));
                arguments.push(name.clone());
                shown += &print_array(name, name, &count.to_string(), buf.elem);
            }
            ArraySource::Made(_) | ArraySource::Known(_) | ArraySource::Own | ArraySource::Unread => {}
        }
    }
    if takes_result(entry) {
        let _ = writeln!(text, "    {}_result result = {{0}};", program.name);
        arguments.push("&result".into());
        for ResultField { name, elem, .. } in fields {
            shown += &print_array(name, &format!("result.{name}"), &format!("result.{name}_len"), *elem);
        }
        let _ = writeln!(shown, "    {}_free(&result);", program.name);
    }
    let _ = write!(
        text,
        "    const int status = {}({});\n    if (status) {{\n        fprintf(stderr, \"{}: status %d\\n\", status);\n        \
         return status;\n    }}\n{shown}    return 0;\n}}\n",
        entry.name,
        arguments.join(", "),
        entry.name
    );
    text
}

fn zero(elem: DType) -> &'static str {
    if elem.is_complex() { "{0, 0}" } else { "0" }
}

/// A value in the initialiser of an array.
fn element(s: Scalar) -> String {
    let text = literal(s).text;
    // A compound literal is no constant.
    text.split_once(')')
        .filter(|_| s.dtype().is_complex())
        .map_or(text.clone(), |(_, braces)| braces.to_string())
}

/// One line with the values of an array.
fn print_array(name: &str, place: &str, count: &str, elem: DType) -> String {
    let at = format!("{place}[n]");
    let (format, values) = match elem.kind() {
        DTypeKind::Bool => ("%d", at),
        DTypeKind::Signed => ("%lld", format!("(long long){at}")),
        DTypeKind::Unsigned => ("%llu", format!("(unsigned long long){at}")),
        DTypeKind::Float => ("%.17g", format!("(double){at}")),
        DTypeKind::Complex => ("%.17g%+.17gi", format!("(double){at}.re, (double){at}.im")),
    };
    format!(
        "    printf(\"{name}:\");\n    for (int64_t n = 0; n < {count}; n++)\n        printf(\" {format}\", {values});\n    \
         printf(\"\\n\");\n"
    )
}
