//! The extension module `openwork._core`: Python objects in, tensors of the compiler out, and back. What users see is
//! the Python package around it (`python/openwork`); no algorithm lives in either.
//!
//! | module | what it converts |
//! |---|---|
//! | `memory` | arrays of other libraries into buffers, buffers into what they read |
//! | `tensor` | a tensor and its parts |
//! | `part` | slices, rows and values of a tensor, and other values for its elements |
//! | `pattern` | the structure of a result, kept for values that change |
//! | `expression` | values that statements are built of |
//! | `statement` | statements, kernels, explanations |
//! | `operator` | operators on arrays, with the statements that they are |
//! | `sequence` | several statements, one after the other |
//! | `files` | files, and the structure of matrices |
//! | `error` | diagnostics into exceptions |
//! | `gate` | where panics become exceptions, the interpreter is let go while work is done, and Ctrl-C is heard |
//! | `interrupt` | Ctrl-C while the main thread is at work |

mod error;
mod expression;
mod facts;
mod files;
mod gate;
mod interrupt;
mod layout;
mod memory;
mod operator;
mod part;
mod pattern;
mod sequence;
mod session;
mod statement;
mod tensor;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::expression::{PyBuiltStatement, PyExpression, access, call, index, reduce};
    #[pymodule_export]
    use crate::facts::{PyFacts, facts};
    #[pymodule_export]
    use crate::files::{PyWatch, load, save, structure};
    #[pymodule_export]
    use crate::gate::fail;
    #[pymodule_export]
    use crate::layout::FormatLayout;
    #[pymodule_export]
    use crate::memory::{PyMemory, allow, room};
    #[pymodule_export]
    use crate::operator::PyOperator;
    #[pymodule_export]
    use crate::part::{ascending, first, joined, looked_up, select, taken, topk, value_at, with_values};
    #[pymodule_export]
    use crate::pattern::PyPattern;
    #[pymodule_export]
    use crate::sequence::PyStatements;
    #[pymodule_export]
    use crate::session::{backend, free_memory, num_threads, request_count, set_num_threads};
    #[pymodule_export]
    use crate::statement::{PyExplanation, PyStatement, meant, notation, semiring_zero, semirings};
    #[pymodule_export]
    use crate::tensor::{
        PyTensor, compressed, convert, coordinates, dense, from_parts, in_place, parse_format, single,
    };

    /// Panics become exceptions, which say all there is to say.
    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        openwork_base::panics::keep();
        Ok(())
    }
}
