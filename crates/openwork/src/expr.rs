//! Statements built in Rust: the same as their text, without writing and reading it.
//!
//! ```
//! use openwork::expr::{index, sum, tensor};
//! use openwork::{Session, Tensor, TensorExt};
//! let [i, j] = ["i", "j"].map(index);
//! let [a, x, y] = ["A", "x", "y"].map(tensor);
//! let product = y.access([i]).assign(sum([j], a.access([i, j]) * x.access([j])) + 1.0)?;
//! assert_eq!(product.to_string(), "y(i) = sum(j, A(i,j) * x(j)) + 1.0");
//!
//! let a = Tensor::from_csr(vec![0, 1, 2], vec![1, 0], vec![2.0, 3.0], [2, 2])?;
//! let x = Tensor::from_vec(&[2], vec![10.0, 1.0])?;
//! let given: &[(&str, &Tensor)] = &[("A", &a), ("x", &x)];
//! let kernel = Session::global().compile_for(&product, given)?;
//! assert_eq!(kernel.run(given)?.tensor.vals().as_slice::<f64>(), Some(&[3.0, 31.0][..]));
//! # Ok::<(), openwork::Error>(())
//! ```
//!
//! Whatever takes a statement as text takes one that is built ([`StatementForm`](crate::StatementForm)), and several of them where
//! it takes several ([`StatementsForm`](crate::StatementsForm)). What no text says is refused, as its text would be.

pub use openwork_index::notation::StatementSyntax;
pub use openwork_index::notation::build::{Expression, IndexName, ModeIndex, TensorName};
pub use openwork_index::notation::build::{
    call, index, maximum, minimum, number, product, reduce, semiring, sum, tensor,
};
