//! `assemble(C,Append)`, `assemble(C,Insert)`: how a result is assembled, which follows from its format and the loops.
//!
//! A result whose format has dense levels only is inserted into; any other is appended to in storage order, by each thread
//! in memory of its own, which is joined afterwards. In TACO a sparse result is inserted into so that threads can share it,
//! so `Insert` is granted; `Append` is refused where there is nothing to append to.

use super::parse::ScheduleCall;
use crate::cin::Program;
use crate::expr::TensorKind;
use openwork_base::Result;

/// Carries out the command.
pub(super) fn assemble(p: Program, call: &ScheduleCall) -> Result<Program> {
    let (tensor, how) = match &call.args[..] {
        [tensor, how] => (tensor, how),
        // TACO's third argument asks for an attribute that is computed beside the structure, which is nothing here.
        [tensor, how, apart] if apart.is_truth() => (tensor, how),
        _ => return Err(call.usage()),
    };
    let (Some(tensor), Some(how)) = (tensor.name(), how.name()) else { return Err(call.usage()) };
    let t = &p.tensors[call.tensor(&p, tensor)?];
    if t.kind != TensorKind::Result {
        let message = format!("`{}` is not the result", t.name);
        return Err(call.refusal(tensor.span, message, "only the result is assembled"));
    }
    match (how.text.as_str(), t.format.is_dense()) {
        ("Append", false) | ("Insert", true | false) => Ok(p),
        ("Append", true) => {
            let message = format!("`{}` is dense, so every element has its place", t.name);
            Err(call.refusal(
                how.span,
                message,
                format!("say assemble({},Insert), or store it sparse", t.name),
            ))
        }
        _ => Err(call.usage()),
    }
}
