//! The binding of operands: they are checked to be what a kernel was compiled for, and give its index variables their sizes.

use crate::signature::{Extents, Signature, Wholes};
use openwork_base::{Code, Diagnostic, Error, Id, Result};
use openwork_format::{ArrayRole, Format};
use openwork_index::window::{Beyond, Reach, Window};
use openwork_index::{IndexId, Program, TensorId, TensorVar as Declared};
use openwork_storage::Tensor;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The operand for each declared tensor.
pub fn operands<'t>(
    program: &Program,
    signature: &Signature,
    given: &[(&str, &'t Tensor)],
) -> Result<BTreeMap<TensorId, &'t Tensor>> {
    let mut out = BTreeMap::new();
    for (id, layout) in &signature.operands {
        let id = *id;
        let wanted = given_name(program, id);
        match given.iter().find(|(name, _)| *name == wanted) {
            Some((_, tensor)) => {
                // Of what folding left out, only the shape counts.
                if let Some(layout) = layout {
                    matches(wanted, &program.tensors[id], layout, tensor)?;
                }
                out.insert(id, *tensor);
            }
            None => {
                let names: Vec<&str> = given.iter().map(|(n, _)| *n).collect();
                let d = Diagnostic::new(Code("E0211"), format!("the operand `{wanted}` was not given"));
                return Err(Error::rejection(d.help(format!("given: {}", names.join(", ")))));
            }
        }
    }
    Ok(out)
}

/// The name under which the caller gives an operand.
pub fn given_name(program: &Program, operand: TensorId) -> &str {
    &program.tensors[operand].given
}

fn matches(name: &str, declared: &Declared, layout: &Format, given: &Tensor) -> Result<()> {
    let wrong = |message: String| Err(Error::rejection(Diagnostic::new(Code("E0212"), message)));
    if given.dtype() != declared.dtype {
        return wrong(format!("`{name}` has dtype {}, the kernel expects {}", given.dtype(), declared.dtype));
    }
    if !same_layout(given.format(), layout) {
        return wrong(format!("`{name}` is stored as {}, the kernel expects {layout}", given.format()));
    }
    if !declared.format.is_full() && !given.fill().is_same(declared.fill) {
        return wrong(format!("`{name}` has fill {}, the kernel expects {}", given.fill(), declared.fill));
    }
    Ok(())
}

/// Whether two formats have the same arrays of the same types.
pub fn same_layout(a: &Format, b: &Format) -> bool {
    let widths = |f: &Format| (f.width(ArrayRole::Pos), f.width(ArrayRole::Crd));
    let indexed = a.levels.iter().any(|l| !l.spec.arrays.is_empty());
    a.has_arrays_of(b) && (!indexed || widths(a) == widths(b))
}

/// The coordinates of a window in a mode of the operand called `name`.
///
/// # Errors
/// `E0217` where it reaches beyond the mode.
pub fn reach(name: &str, window: &Window, size: usize) -> Result<Reach> {
    window.reach(size).map_err(|beyond| {
        let message = format!("`{window}` is no window of a mode of `{name}`: it has {beyond}");
        Error::rejection(Diagnostic::new(Code("E0217"), message).help(Beyond::HELP))
    })
}

/// The range of every index variable, from the shapes of the operands.
pub fn extents(
    program: &Program,
    signature: &Signature,
    operands: &BTreeMap<TensorId, &Tensor>,
) -> Result<Arc<Extents>> {
    // The size of each one, and the operand that it comes from, unless it was declared.
    let mut sizes: Vec<Option<(usize, Option<TensorId>)>> =
        program.indices.iter().map(|(_, i)| i.size.map(|n| (n, None))).collect();
    let mut wholes = Wholes::new();
    for (id, vars) in &signature.modes {
        let Some(tensor) = operands.get(id) else { continue };
        for (mode, (&v, &whole)) in vars.iter().zip(tensor.shape()).enumerate() {
            let mut size = whole;
            if let Some(window) = program.tensors[*id].windows.get(mode) {
                size = reach(given_name(program, *id), window, whole)?.count;
                wholes.insert((*id, mode), whole);
            }
            match sizes[v.index()] {
                None => sizes[v.index()] = Some((size, Some(*id))),
                Some((known, _)) if known == size => {}
                Some((known, from)) => {
                    let from =
                        from.map_or("the declaration".into(), |id| format!("`{}`", given_name(program, id)));
                    let (v, name) = (&program.indices[v].name, given_name(program, *id));
                    let message =
                        format!("`{v}` ranges over {known} values in {from}, but over {size} in `{name}`");
                    return Err(Error::rejection(Diagnostic::new(Code("E0203"), message)));
                }
            }
        }
    }
    refuse_other_shapes(program, operands)?;
    for (a, b) in &signature.alike {
        if let (Some((first, _)), Some((second, _))) = (sizes[a.index()], sizes[b.index()])
            && first != second
        {
            let name = &program.indices[*a].name;
            let message = format!("`{name}` ranges over {first} values, but also over {second}");
            return Err(Error::rejection(Diagnostic::new(Code("E0203"), message)));
        }
        let known = sizes[a.index()].or(sizes[b.index()]);
        sizes[a.index()] = known;
        sizes[b.index()] = known;
    }
    let sizes: Vec<Option<usize>> = sizes.into_iter().map(|known| Some(known?.0)).collect();
    signature.ranges.get_or_find(sizes, wholes, |sizes| ranges(program, sizes))
}

/// A range that followed from shapes when the statement was checked holds for those only.
fn refuse_other_shapes(program: &Program, operands: &BTreeMap<TensorId, &Tensor>) -> Result<()> {
    for (_, index) in program.indices.iter() {
        for made in &*index.made_for {
            let given = operands.iter().find(|(id, _)| program.tensors[**id].given == made.name);
            if let Some((_, tensor)) = given.filter(|(_, tensor)| tensor.shape() != &made.shape[..]) {
                let message = format!(
                    "the range of `{}` follows from `{}` of shape {:?}, and this one has {:?}",
                    index.name,
                    made.name,
                    made.shape,
                    tensor.shape()
                );
                let help = "compile the statement for operands of this shape";
                return Err(Error::rejection(Diagnostic::new(Code("E0203"), message).help(help)));
            }
        }
    }
    Ok(())
}

/// The ranges of all variables, from the sizes of those that are not computed.
fn ranges(program: &Program, sizes: &[Option<usize>]) -> Result<Extents> {
    let known = |v: IndexId| sizes[v.index()];
    let mut out = Extents { sizes: Vec::new(), lows: Vec::new(), wholes: Wholes::new() };
    for (v, index) in program.indices.iter() {
        let (size, low) = match &index.derived {
            None => (known(v), 0),
            Some(d) => {
                let shape: Option<Vec<usize>> = d.modes().into_iter().map(known).collect();
                let bounds = shape.map(|shape| d.remap.bounds(d.coord, &shape));
                (bounds.map(|b| b.size.min(i64::MAX as usize)), bounds.map_or(0, |b| b.low))
            }
        };
        let Some(size) = size else {
            let message = format!("nothing fixes the size of `{}`", index.name);
            return Err(Error::rejection(Diagnostic::new(Code("E0206"), message)));
        };
        out.sizes.push(size);
        out.lows.push(low);
    }
    Ok(out)
}
