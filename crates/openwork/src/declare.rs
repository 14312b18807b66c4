//! The declarations of tensors that are there: what a plan may know of them.

use openwork_index::{Decl, Decls};
use openwork_storage::Tensor;

/// The declarations of tensors that are there, for what compiles a statement.
///
/// ```
/// use openwork::{Session, Tensor, declare_operands};
/// let a = Tensor::from_csr(vec![0, 1, 2], vec![1, 0], vec![2.0, 3.0], [2, 2])?;
/// let square = Session::global().compile_phases("C(i,k) = A(i,j) * A(j,k)", &declare_operands(&[("A", &a)]))?;
/// assert_eq!(square.pattern(&[("A", &a)])?.nnz(), 2);
/// # Ok::<(), openwork::Error>(())
/// ```
pub fn declare_operands(operands: &[(&str, &Tensor)]) -> Decls {
    let mut decls = Decls::default();
    for (name, tensor) in operands {
        decls.tensors.insert((*name).into(), declare_tensor(tensor));
    }
    decls
}

/// The declaration of a tensor that is there.
pub(crate) fn declare_tensor(t: &Tensor) -> Decl {
    Decl { elements: Some(t.nnz()), ..declare_slots(t) }
}
fn declare_slots(t: &Tensor) -> Decl {
    Decl {
        dtype: Some(t.dtype()),
        format: Some(t.format().clone().with_fill(t.fill().to_string())),
        shape: Some(t.shape().to_vec()),
        stored: Some(t.slots()),
        elements: None,
    }
}
/// The same with what a plan for all operands of the same order may know.
pub(crate) fn declare_typical(t: &Tensor) -> Decl {
    Decl { elements: known_elements(t), ..declare_slots(t) }.with_typical_counts()
}

/// The number of elements of a tensor, where it need not be counted for every call: values of others may change.
pub(crate) fn known_elements(t: &Tensor) -> Option<usize> {
    let marked = t.format().levels.iter().any(|l| l.is_masked());
    (marked || !t.vals().may_change()).then(|| t.nnz())
}
