//! Every preset of every rank, with small and with huge arguments: packed, converted to and converted from.

use openwork::presets::PRESETS;
use openwork::{Format, FormatExt, Scalar, Session, Tensor, TensorExt, convert};

/// The format, if it exists for the rank; refusals are named.
fn format(text: &str, rank: usize) -> Option<Format> {
    Format::parse(text, rank)
        .map_err(|e| assert!(["E0302", "E0305"].contains(&e.code().0), "{text} at rank {rank}: {e}"))
        .ok()
}

#[test]
fn tensors_of_every_rank_convert_to_and_from_every_preset() {
    let session = Session::global();
    let mut refused = Vec::new();
    for rank in 0..=4 {
        let shape = vec![3; rank];
        // A diagonal suits triangles, bands and symmetric storage.
        let entries: Vec<(Vec<usize>, Scalar)> = (0..if rank == 0 { 1 } else { 3 })
            .map(|n| (vec![n; rank], Scalar::F64(n as f64 + 2.0)))
            .collect();
        let plain = Tensor::pack(&shape, &entries, &Format::parse("coo", rank).unwrap()).unwrap();
        let want = plain.to_dense_scalars().unwrap();
        for p in PRESETS {
            for argument in ["", "(1)", "(3)", "(64)", "(1099511627776)"] {
                let text = format!("{}{argument}", p.name);
                let Some(format) = format(&text, rank) else { continue };
                let what = format!("{text} at rank {rank}");
                let made = Tensor::pack(&shape, &entries, &format);
                let converted = convert(session, &plain, &format);
                for t in [made, converted.map(|c| c.tensor)] {
                    match t {
                        Ok(t) => {
                            assert_eq!(t.to_dense_scalars().unwrap(), want, "{what}");
                            let back = convert(session, &t, plain.format())
                                .unwrap_or_else(|e| panic!("{what}: {e}"));
                            assert_eq!(back.tensor.to_dense_scalars().unwrap(), want, "{what}");
                        }
                        Err(e) => refused.push(format!("{what} {}", e.code().0)),
                    }
                }
            }
        }
    }
    // Blocks of 2^40 rows, all of them there.
    let blocks = ["bcsr", "bcsc", "sell"].map(|name| format!("{name}(1099511627776) at rank 2 E0605"));
    refused.dedup();
    assert_eq!(refused, blocks);
}
