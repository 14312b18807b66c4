//! The bits of what every variant of a case makes, as text that another process can compare.

use crate::case::Case;
use crate::pipeline::bits_of_numbers;
use openwork::{Error, Outcome, Session, Tensor};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The number, the name and the bits of every variant of a case, whatever NaN is written like, or the code of its refusal.
///
/// # Errors
/// What the case deserves, and bugs.
pub fn digest_variants(session: &Session, case: &Case) -> Result<String, Error> {
    let (decls, packed) = (case.decls(&case.statement()?)?, case.pack()?);
    let operands: Vec<(&str, &Tensor)> = packed.iter().map(|(name, t)| (name.as_str(), t)).collect();
    let mut kernel = session.compile_scheduled(&case.text, &decls, &case.commands()?)?;
    let mut text = String::new();
    for number in 1..=kernel.stages().variants().len() {
        kernel = kernel.with_variant(number)?;
        let Outcome { tensor, ran, .. } = kernel.run(&operands)?;
        // The hash of the standard library without a key is the same in every process.
        let mut hash = DefaultHasher::new();
        bits_of_numbers(&tensor).hash(&mut hash);
        text.push_str(&format!(" {}:{}:{:016x}", ran.variant, ran.name, hash.finish()));
    }
    Ok(text)
}
