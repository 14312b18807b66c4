//! `assemble(C,Append)`, `assemble(C,Insert)`: how a result is assembled, which follows from its format and the loops.
//!
//! A result whose format has dense levels only is inserted into; any other is appended to in storage order. The command
//! says which of the two is meant, and is refused where it is the other.

use super::parse::Call;
use crate::cin::Program;
use crate::expr::Kind;
use openwork_base::Result;

/// Carries out the command.
pub(super) fn assemble(p: Program, call: &Call) -> Result<Program> {
    let [tensor, how] = &call.args[..] else { return Err(call.usage()) };
    let (Some(tensor), Some(how)) = (tensor.name(), how.name()) else { return Err(call.usage()) };
    let t = &p.tensors[call.tensor(&p, tensor)?];
    if t.kind != Kind::Result {
        let message = format!("`{}` is not the result", t.name);
        return Err(call.refused(tensor.span, message, "only the result is assembled"));
    }
    match (how.text.as_str(), t.format.is_dense()) {
        ("Append", false) | ("Insert", true) => Ok(p),
        ("Append", true) => {
            let message = format!("`{}` is dense, so every element has its place", t.name);
            Err(call.refused(
                how.span,
                message,
                format!("say assemble({},Insert), or store it sparse", t.name),
            ))
        }
        ("Insert", false) => {
            let message = format!(
                "a symbolic pass that makes room for elements of `{}` to be inserted is made for conversions only",
                t.name
            );
            Err(call.unsupported(how.span, message, "precompute into a workspace, which is appended to it"))
        }
        _ => Err(call.usage()),
    }
}
