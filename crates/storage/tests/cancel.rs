//! Reading and packing look for a request to stop between their steps.

use openwork_algebra::{DType, Scalar};
use openwork_format::presets;
use openwork_storage::{Cancel, Coo, files, pack};

#[test]
fn packing_and_reading_stop_and_can_be_done_again() {
    let entries: Vec<_> = (0..1000usize).map(|n| (vec![n * 7 % 1000, n], Scalar::F64(1.0))).collect();
    let coo = Coo::from_entries(&[1000, 1000], DType::F64, &entries).unwrap();
    let zero = Scalar::F64(0.0);
    let packed = pack(&coo, &presets::csr(), zero).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.mtx", "a.mtx.gz", "a.tns"] {
        let path = folder.path().join(name);
        files::write(&path, &packed).unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        let read = cancel.scope(|| files::read(&path));
        assert_eq!(read.unwrap_err().code().0, "E0606", "{name}");
        let again = cancel.scope(|| pack(&coo, &presets::csr(), zero));
        assert_eq!(again.unwrap_err().code().0, "E0606");
        assert_eq!(pack(&files::read(&path).unwrap(), &presets::csr(), zero).unwrap().nnz(), 1000, "{name}");
    }
    assert_eq!(pack(&coo, &presets::csr(), zero).unwrap(), packed);
}
