//! `bound(i,ib,n,MaxExact)`: a size that is known is stated, and the variable takes another name.
//!
//! ```text
//! bound(i,ib,100,MaxExact)     forall i y(i) = x(i)     =>     forall ib y(ib) = x(ib)          where i has 100 values
//! ```

use super::parse::ScheduleCall;
use crate::cin::Program;
use openwork_base::Result;

/// Carries out the command.
pub(super) fn bound(mut p: Program, call: &ScheduleCall) -> Result<Program> {
    let [var, new, size, kind] = &call.args[..] else { return Err(call.usage()) };
    let (Some(name), Some(new), Some((size, at)), Some(kind)) =
        (var.name(), new.name(), size.number(), kind.name())
    else {
        return Err(call.usage());
    };
    let v = call.index(&p, name)?;
    match kind.text.as_str() {
        "MaxExact" => {}
        "MinExact" | "MinConstraint" | "MaxConstraint" => {
            let message =
                format!("`{}` has no use: loops begin at 0 and end where the operands do", kind.text);
            return Err(call.unsupported_error(kind.span, message, "say MaxExact"));
        }
        _ => return Err(call.usage()),
    }
    match p.indices[v].size {
        Some(known) if known == size => {}
        Some(known) => {
            let message = format!("`{}` has {known} values, not {size}", name.text);
            return Err(call.refusal(at, message, "leave the command out"));
        }
        None => {
            let message = format!("how many values `{}` has is not known before the operands are", name.text);
            return Err(call.unsupported_error(at, message, format!("give `{}` the size {size}", name.text)));
        }
    }
    let taken = p.indices.iter().any(|(id, i)| id != v && i.name == new.text)
        || p.tensors.iter().any(|(_, t)| t.name == new.text);
    if taken {
        let message = format!("`{}` is a name of the statement already", new.text);
        return Err(call.refusal(new.span, message, "choose another"));
    }
    p.indices[v].name.clone_from(&new.text);
    Ok(p)
}
