//! Programs for tests, from text.

// Not every test uses all of it.
#![allow(dead_code)]

use openwork_algebra::DType;
use openwork_base::{Result, Source};
use openwork_format::Catalog;
use openwork_index::plan::plan;
use openwork_index::{Decl, Decls, Program, check, notation};

/// A tensor: its name, format, rank, and how many values it is known to store.
pub type Tensor<'a> = (&'a str, &'a str, usize, Option<usize>);

/// The plan of a statement over tensors of a thousand coordinates a mode.
pub fn program(statement: &str, tensors: &[Tensor]) -> Program {
    program_of_size(statement, tensors, 1000)
}

/// The same over tensors of any size.
pub fn program_of_size(statement: &str, tensors: &[Tensor], size: usize) -> Program {
    build_program(statement, tensors, size).unwrap_or_else(|e| panic!("{statement}: {e}"))
}

/// The same, if the statement can be planned as its tensors are stored.
pub fn plan_program(statement: &str, tensors: &[Tensor]) -> Option<Program> {
    build_program(statement, tensors, 1000).ok()
}

fn build_program(statement: &str, tensors: &[Tensor], size: usize) -> Result<Program> {
    let mut decls = Decls::default();
    for &(name, text, rank, stored) in tensors {
        let format = Some(Catalog::default().parse(&Source::new("format", text), rank)?);
        let shape = Some(vec![size; rank]);
        decls
            .tensors
            .insert(name.into(), Decl { dtype: Some(DType::F64), format, shape, stored, elements: None });
    }
    Ok(plan(check(&notation::parse(&Source::new("statement", statement))?, &decls)?)?.program)
}
