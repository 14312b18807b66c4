//! The error codes of this crate, and short ways to raise them.
//!
//! | code | meaning |
//! |---|---|
//! | E0601 | arrays or coordinates that are no valid tensor |
//! | E0602 | a format or level chain that cannot hold this data |
//! | E0603 | more memory wanted than there is, or a size beyond the address space |
//! | E0604 | a position or coordinate that does not fit its index width |
//! | E0605 | an array that would take more memory than the [limit](crate::memory) leaves |
//! | E0606 | work that was [asked to stop](crate::Cancel) |
//! | E0701 | a malformed file, with line and column |
//! | E0702 | a file that ends early, or holds more or fewer entries than it declares |
//! | E0703 | a coordinate in a file that is out of range |
//! | E0704 | the operating system could not open, read or write a file |
//! | E0705 | a file extension of no known format |
//! | E0706 | values of a file that do not cast to the dtype asked for |
//! | E0707 | a tensor that the file format cannot hold |
//! | E0708 | a malformed generator |

use openwork_base::{Code, Diagnostic, Error, SlotCount};
use openwork_format::spread::FARTHEST;

/// Arrays or coordinates that are no valid tensor.
pub const INVALID: Code = Code("E0601");
/// A format or level chain that cannot hold the data.
pub const UNFIT: Code = Code("E0602");
/// More memory wanted than there is.
pub const TOO_LARGE: Code = Code("E0603");
/// A number that does not fit its index width.
pub const TOO_WIDE: Code = Code("E0604");
/// A tensor that would take more memory than the limit.
pub const OVER_LIMIT: Code = Code("E0605");
/// A malformed file.
pub const MALFORMED: Code = Code("E0701");
/// A file that ends early or holds the wrong number of entries.
pub const INCOMPLETE: Code = Code("E0702");
/// A coordinate in a file that is out of range.
pub const OUT_OF_RANGE: Code = Code("E0703");
/// The operating system refused.
pub const SYSTEM: Code = Code("E0704");
/// An extension of no known file format.
pub const EXTENSION: Code = Code("E0705");
/// Values that do not cast to the dtype asked for.
pub const CAST: Code = Code("E0706");
/// A tensor that the file format cannot hold.
pub const NOT_WRITABLE: Code = Code("E0707");
/// A malformed generator.
pub const GENERATOR: Code = Code("E0708");

/// Rejected data: E0601.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::rejection(Diagnostic::new(INVALID, message))
}
/// A chain or format that cannot hold the data: E0602.
pub(crate) fn unfit(message: impl Into<String>, help: impl Into<String>) -> Error {
    Error::refusal(Diagnostic::new(UNFIT, message).help(help))
}
/// A size beyond memory: E0603.
pub(crate) fn too_large(message: impl Into<String>) -> Error {
    Error::rejection(Diagnostic::new(TOO_LARGE, message))
}
/// An index beyond its width: E0604.
pub(crate) fn too_wide(message: impl Into<String>) -> Error {
    Error::rejection(
        Diagnostic::new(TOO_WIDE, message).help("ask for wider index arrays, e.g. `; pos = i64 ; crd = i64`"),
    )
}
/// A tensor beyond the memory limit: E0605.
pub(crate) fn over_limit(message: impl Into<String>) -> Error {
    let help = "choose a format that stores less (dcsr and coo have nothing for empty rows), drop tensors that are \
                not needed, or raise the limit (OPENWORK_MEMORY_LIMIT=64G, or `memory::set_limit` in Rust)";
    Error::rejection(Diagnostic::new(OVER_LIMIT, message).help(help))
}

/// Coordinates that collide in a hash table: E0602.
pub fn crowded_table() -> Error {
    unfit(
        format!(
            "coordinates collide in a hash table: one of them would lie more than {FARTHEST} buckets behind the one where \
             the search for it begins"
        ),
        "these coordinates were chosen to have equal hashes; store them in another level, such as `compressed`",
    )
}

/// A loop in a function that a user defined, after too many rounds: E0607.
pub fn endless() -> Error {
    let d = Diagnostic::new(
        Code("E0607"),
        "a loop in a function of the statement has not ended after a million rounds",
    );
    Error::rejection(d.help("let it end for every value that it is called with: inf, nan and 0 among them"))
}

/// The product of `sizes`, or the E0603 that names it.
pub(crate) fn checked_product(what: &str, sizes: &[usize]) -> Result<usize, Error> {
    SlotCount::product(sizes).count().ok_or_else(|| {
        let text: Vec<String> = sizes.iter().map(usize::to_string).collect();
        too_large(format!("{what} needs {} elements, more than the address space holds", text.join(" x ")))
    })
}

/// `n` positions, or E0603 when no array can have so many elements.
pub(crate) fn address(what: &str, n: usize) -> Result<usize, Error> {
    checked_product(what, &[n])
}

/// Refuses sizes beyond `i64`, in which kernels count.
pub(crate) fn addressable(shape: &[usize]) -> Result<(), Error> {
    match shape.iter().find(|&&size| i64::try_from(size).is_err()) {
        Some(size) => Err(too_large(format!("a mode of {size} coordinates is more than can be counted"))),
        None => Ok(()),
    }
}
