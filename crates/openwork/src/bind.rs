//! Checks that operands are what a kernel was compiled for, and finds the sizes of its index variables.

use openwork_base::{Code, Diagnostic, Error, Result};
use openwork_format::{ArrayRole, Format};
use openwork_index::{Access, Kind, Program, Tensor as Declared, TensorId};
use openwork_storage::Tensor;
use std::collections::BTreeMap;

/// The operand for each declared tensor.
pub(crate) fn operands<'t>(
    program: &Program,
    given: &[(&str, &'t Tensor)],
) -> Result<BTreeMap<TensorId, &'t Tensor>> {
    let mut out = BTreeMap::new();
    for (id, declared) in program.tensors.iter().filter(|(_, t)| t.kind == Kind::Operand) {
        let wanted = given_name(program, id);
        match given.iter().find(|(name, _)| *name == wanted) {
            Some((_, tensor)) => {
                matches(wanted, declared, tensor)?;
                out.insert(id, *tensor);
            }
            None => {
                let names: Vec<&str> = given.iter().map(|(n, _)| *n).collect();
                let d = Diagnostic::new(Code("E0211"), format!("the operand `{wanted}` was not given"));
                return Err(Error::rejected(d.help(format!("given: {}", names.join(", ")))));
            }
        }
    }
    Ok(out)
}

/// The name under which the caller gives an operand.
pub(crate) fn given_name(program: &Program, operand: TensorId) -> &str {
    &program.tensors[operand].given
}

fn matches(name: &str, declared: &Declared, given: &Tensor) -> Result<()> {
    let wrong = |message: String| Err(Error::rejected(Diagnostic::new(Code("E0212"), message)));
    if given.dtype() != declared.dtype {
        return wrong(format!("`{name}` has dtype {}, the kernel expects {}", given.dtype(), declared.dtype));
    }
    if !same_layout(given.format(), &declared.format) {
        return wrong(format!(
            "`{name}` is stored as {}, the kernel expects {}",
            given.format(),
            declared.format
        ));
    }
    if !declared.format.is_full() && !given.fill().same(declared.fill) {
        return wrong(format!("`{name}` has fill {}, the kernel expects {}", given.fill(), declared.fill));
    }
    Ok(())
}

/// Whether two formats have the same arrays of the same types.
pub(crate) fn same_layout(a: &Format, b: &Format) -> bool {
    let widths = |f: &Format| (f.width(ArrayRole::Pos), f.width(ArrayRole::Crd));
    let indexed = a.levels.iter().any(|l| !l.spec.arrays.is_empty());
    a.levels == b.levels && a.modes == b.modes && (!indexed || widths(a) == widths(b))
}

/// The size of every index variable, from the shapes of the operands.
pub(crate) fn sizes(program: &Program, operands: &BTreeMap<TensorId, &Tensor>) -> Result<Vec<usize>> {
    let mut sizes: Vec<Option<(usize, String)>> =
        program.indices.iter().map(|(_, i)| i.size.map(|n| (n, "the declaration".into()))).collect();
    let reads: Vec<&Access> =
        program.body.assignments().into_iter().flat_map(|(_, _, rhs)| rhs.accesses()).collect();
    for access in reads {
        let Some(tensor) = operands.get(&access.tensor) else { continue };
        let name = &program.tensors[access.tensor].name;
        for (&v, &size) in access.vars.iter().zip(tensor.shape()) {
            use openwork_base::Id;
            match &sizes[v.index()] {
                None => sizes[v.index()] = Some((size, format!("`{name}`"))),
                Some((known, _)) if *known == size => {}
                Some((known, from)) => {
                    let v = &program.indices[v].name;
                    let message =
                        format!("`{v}` ranges over {known} values in {from}, but over {size} in `{name}`");
                    return Err(Error::rejected(Diagnostic::new(Code("E0203"), message)));
                }
            }
        }
    }
    let named = sizes.into_iter().zip(program.indices.iter());
    named
        .map(|(size, (_, index))| {
            size.map(|(n, _)| n).ok_or_else(|| {
                let message = format!("nothing fixes the size of `{}`", index.name);
                Error::rejected(Diagnostic::new(Code("E0206"), message))
            })
        })
        .collect()
}
