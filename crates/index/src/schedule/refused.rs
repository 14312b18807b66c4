//! Commands that are understood, and why they are not carried out.

use super::parse::Call;
use crate::cin::Program;
use openwork_base::Result;

/// `fuse(i,j,f)`.
pub(super) fn fuse(p: Program, call: &Call) -> Result<Program> {
    checked(&p, call, 2)?;
    let message = "two loops are not fused into one";
    let help = "a coordinate list, coo, is walked by one loop over all of its coordinates";
    Err(call.unsupported(call.span, message, help))
}

/// `pos(i,ipos,A)`.
pub(super) fn pos(p: Program, call: &Call) -> Result<Program> {
    checked(&p, call, 1)?;
    let [_, _, tensor] = &call.args[..] else { return Err(call.usage()) };
    call.tensor(&p, tensor.name().ok_or_else(|| call.usage())?)?;
    let message = "loops over positions follow from the formats; they have no variables of their own";
    Err(call.unsupported(
        call.span,
        message,
        "leave it out: a single sparse operand is walked by position anyway",
    ))
}

/// The first `count` arguments are loops of the statement.
fn checked(p: &Program, call: &Call, count: usize) -> Result<()> {
    if call.args.len() < count {
        return Err(call.usage());
    }
    call.args[..count].iter().try_for_each(|a| {
        let name = a.name().ok_or_else(|| call.usage())?;
        call.index(p, name).map(|_| ())
    })
}
