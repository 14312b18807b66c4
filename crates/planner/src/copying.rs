//! Statements that copy a tensor into another format.

use openwork_algebra::Scalar;
use openwork_base::{Arena, Source, Span};
use openwork_format::Format;
use openwork_index::check::{Assignment, FormatChoice};
use openwork_index::{Access, Holds, IndexExpr, IndexVar, PositionReach, TensorKind, TensorVar};

/// `B(i0,i1,…) = A(i0,i1,…)`, for tensors of the dtype and with the value of `fill` where nothing is stored.
///
/// ```
/// use openwork_algebra::Scalar;
/// use openwork_format::presets;
/// let copy = openwork_planner::copy_statement(&presets::csr(), &presets::csc(), Scalar::F64(0.0));
/// assert_eq!(copy.to_string(), "B(i0,i1) = A(i0,i1)");
/// ```
pub fn copy_statement(from: &Format, to: &Format, fill: Scalar) -> Assignment {
    let (mut tensors, mut indices) = (Arena::new(), Arena::new());
    let mut tensor = |name: &str, format: &Format, kind| {
        let format = format.clone().with_fill(fill.to_string());
        let (name, given) = (name.to_string(), name.to_string());
        tensors.push(TensorVar {
            name,
            given,
            dtype: fill.dtype(),
            format,
            remap: None,
            fill,
            kind,
            stored: None,
            windows: Vec::new(),
            holds: Holds::Values,
            elements: None,
        })
    };
    let (source, target) = (tensor("A", from, TensorKind::Operand), tensor("B", to, TensorKind::Result));
    let mut index = |m: usize| {
        indices.push(IndexVar {
            name: format!("i{m}"),
            size: None,
            span: Span::new(0, 0),
            derived: None,
            positional: false,
            scattered: false,
            declared: false,
            reach: PositionReach::Unknown,
            made_for: [].into(),
            like: None,
        })
    };
    let vars: Vec<_> = (0..from.rank()).map(&mut index).collect();
    let read = Access { tensor: source, vars: vars.clone() };
    Assignment {
        tensors,
        indices,
        lhs: Access { tensor: target, vars },
        rhs: IndexExpr::Access(read.clone()),
        reads: vec![read],
        format_given: FormatChoice::Caller,
        source: Source::new("conversion", ""),
    }
}
