//! The writer of binsparse, into NumPy's archives.

use super::archive::Writer;
use super::binsparse::HEADER;
use super::npy;
use super::npz::put;
use super::output::TextOutput;
use crate::buffer::Buffer;
use crate::pack::pack;
use crate::tensor::Tensor;
use crate::unpack::unpack;
use openwork_algebra::{DType, Scalar};
use openwork_base::Result;
use openwork_format::presets;
use serde_json::{Map, Value, json};

/// What is written: arrays by name, and the descriptor without their types.
struct Described {
    arrays: Vec<(String, Buffer)>,
    descriptor: Value,
}

/// Writes a tensor: dense ones, csr, csc and sparse vectors as they are, everything else as coordinates in order.
///
/// # Errors
/// E0704 and E0603; E0707 for fill values other than 0.
pub(super) fn write(t: &Tensor, out: &mut TextOutput) -> Result<()> {
    out.needs_zero_fill(t)?;
    let Described { arrays, mut descriptor } = describe_tensor(t)?;
    let mut types = Map::new();
    for (name, array) in &arrays {
        types.insert(name.clone(), Value::String(type_name(array.dtype())));
    }
    descriptor["version"] = json!("0.1.0");
    descriptor["shape"] = json!(t.shape());
    descriptor["data_types"] = Value::Object(types);
    out.expect(arrays.iter().map(|(_, a)| a.as_bytes().len()).sum());
    let mut archive = Writer::new(|bytes: &[u8], packed: usize| out.step(bytes, packed));
    let mut named = Map::new();
    named.insert(HEADER.into(), descriptor);
    let text = Value::Object(named).to_string();
    // NumPy keeps text in four bytes a character.
    let wide: Vec<u8> = text.chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
    let head = npy::header(&format!("<U{}", text.chars().count()), false, &[]);
    archive.file(&format!("{HEADER}.npy"), &[&head, &wide])?;
    for (name, array) in &arrays {
        match array.dtype() {
            DType::C64 | DType::C128 => {
                let part = if array.dtype() == DType::C64 { DType::F32 } else { DType::F64 };
                let head = npy::header(&npy::descr(part), false, &[2 * array.len()]);
                archive.file(&format!("{name}.npy"), &[&head, array.as_bytes()])?;
            }
            _ => put(&mut archive, name, &[array.len()], &[array])?,
        }
    }
    archive.finish()
}

/// What the specification calls a dtype.
fn type_name(dtype: DType) -> String {
    match dtype {
        DType::Bool => "bint8".into(),
        DType::C64 => "complex[float32]".into(),
        DType::C128 => "complex[float64]".into(),
        DType::F32 => "float32".into(),
        DType::F64 => "float64".into(),
        DType::I8 => "int8".into(),
        DType::I16 => "int16".into(),
        DType::I32 => "int32".into(),
        DType::I64 => "int64".into(),
        DType::U8 => "uint8".into(),
        DType::U16 => "uint16".into(),
        DType::U32 => "uint32".into(),
        DType::U64 => "uint64".into(),
    }
}

fn describe_tensor(t: &Tensor) -> Result<Described> {
    let format = |name: &str, stored: usize| json!({ "format": name, "number_of_stored_values": stored });
    let custom = |kind: &str, rank: usize, stored: usize| {
        let level = match rank {
            0 => json!({ "level_desc": "element" }),
            _ => json!({ "level_desc": kind, "rank": rank, "level": { "level_desc": "element" } }),
        };
        let mut d = format("custom", stored);
        d["custom"] = json!({ "level": level });
        d
    };
    if t.format().is_dense() {
        let vals = t.to_dense()?;
        let descriptor = match t.rank() {
            1 => format("DVEC", vals.len()),
            2 => format("DMATR", vals.len()),
            rank => custom("dense", rank, vals.len()),
        };
        return Ok(Described { arrays: vec![("values".into(), vals)], descriptor });
    }
    if let Some([outer, _]) = t.format().rows() {
        let [pos, crd] = &t.level(1).arrays[..] else {
            return describe_list(t, custom("sparse", 2, t.nnz()));
        };
        let descriptor = format(if outer == 0 { "CSR" } else { "CSC" }, crd.len());
        let arrays = vec![
            ("pointers_to_1".into(), pos.duplicate()?),
            ("indices_1".into(), crd.duplicate()?),
            ("values".into(), t.vals().duplicate()?),
        ];
        return Ok(Described { arrays, descriptor });
    }
    let descriptor = match t.rank() {
        1 => format("CVEC", 0),
        2 => format("COOR", 0),
        rank => custom("sparse", rank, 0),
    };
    describe_list(t, descriptor)
}

/// Coordinates in order.
fn describe_list(t: &Tensor, mut descriptor: Value) -> Result<Described> {
    let sorted = pack(&unpack(t)?, &presets::coo(t.rank()), Scalar::zero(t.dtype()))?;
    let coo = unpack(&sorted)?;
    descriptor["number_of_stored_values"] = json!(coo.len());
    let index = |m: usize| Ok((format!("indices_{m}"), coo.coords(m).duplicate()?));
    let mut arrays: Vec<(String, Buffer)> = (0..coo.rank()).map(index).collect::<Result<_>>()?;
    arrays.push(("values".into(), coo.vals().duplicate()?));
    Ok(Described { arrays, descriptor })
}
