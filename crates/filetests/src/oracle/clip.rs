//! Values between bounds.

use super::Refusal;
use super::typing::{OracleNode, Typed, apply, refuse};
use openwork_algebra::{DType, DTypeKind, Prim, Scalar};

/// `clip(x, low, high)`: an integer beyond the dtype of the others is the end of it.
pub(super) fn apply_clip(mut args: Vec<Typed>) -> Result<Typed, Refusal> {
    let firm = args.iter().filter(|a| !a.loose).map(|a| a.dtype).reduce(DType::promote);
    for arg in args.iter_mut().filter(|a| a.loose && a.dtype.is_int()) {
        let (OracleNode::Const(s), Some(to)) = (&arg.node, firm.filter(|d| d.is_int())) else { continue };
        let there = s.cast(to);
        let negative = s.dtype().kind() == DTypeKind::Signed && s.as_i64() < 0;
        let stays = there.cast(s.dtype()).is_same(*s)
            && (there.as_i64() < 0 && to.kind() == DTypeKind::Signed) == negative;
        if !stays {
            let end = if negative { Scalar::lowest(to) } else { Scalar::highest(to) };
            arg.node = OracleNode::Const(end.unwrap_or(*s));
            (arg.dtype, arg.loose) = (to, false);
        }
    }
    let mut all = args.into_iter();
    let (Some(x), Some(low), Some(high)) = (all.next(), all.next(), all.next()) else {
        return refuse("E0204", "clip");
    };
    let raised = apply(Prim::Max, vec![x, low])?;
    apply(Prim::Min, vec![raised, high])
}
