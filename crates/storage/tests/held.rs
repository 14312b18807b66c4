//! The memory limit is one for all arrays of the process. So is this test for the whole file.

use openwork_algebra::DType;
use openwork_storage::buffer::Writers;
use openwork_storage::{Buffer, memory};
use std::sync::Arc;

const MEGABYTE: usize = 1 << 20;

fn array(megabytes: usize) -> openwork_base::Result<Buffer> {
    Buffer::zeros(DType::U8, megabytes * MEGABYTE)
}
/// As many arrays as are allowed, and the code of the refusal.
fn fill(megabytes: usize) -> (Vec<Buffer>, &'static str) {
    let mut all = Vec::new();
    loop {
        match array(megabytes) {
            Ok(b) => all.push(b),
            Err(e) => return (all, e.code().0),
        }
    }
}

/// Together they never hold more.
fn two_threads_share_the_limit() {
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                for n in 0..200 {
                    let (all, _) = fill(1 + n % 9);
                    assert!(memory::held_bytes() <= 100 << 20);
                    drop(all);
                }
            });
        }
    });
}

#[test]
fn what_is_held_is_limited_in_all() {
    memory::set_limit(100 << 20);
    let before = memory::held_bytes();

    // Many arrays that are each small enough, and what is freed can be had again.
    let (all, code) = fill(7);
    assert_eq!((all.len(), code), (14, "E0605"));
    assert!((98 << 20..=100 << 20).contains(&memory::held_bytes()), "{}", memory::held_bytes());
    let text = array(7).unwrap_err().to_string();
    assert!(
        text.contains("an array of 7340032 u8 elements would take 7.0 MiB, more than the memory limit"),
        "{text}"
    );
    assert!(text.contains("of 100 MiB leaves: 9") && text.contains("OPENWORK_MEMORY_LIMIT"), "{text}");
    drop(all);
    let (all, _) = fill(25);
    assert_eq!(all.len(), 3);
    drop(all);

    // Growth is asked for before it happens, and a refusal leaves everything as it was.
    let mut growing = array(40).unwrap();
    let other = array(30).unwrap();
    let held = memory::held_bytes();
    assert_eq!(growing.try_resize(80 * MEGABYTE).unwrap_err().code().0, "E0605");
    assert_eq!((growing.len(), memory::held_bytes()), (40 * MEGABYTE, held));
    growing.try_resize(60 * MEGABYTE).unwrap();
    assert_eq!(memory::held_bytes(), held + (20 << 20));
    drop(other);
    growing.try_resize(90 * MEGABYTE).unwrap();
    let mut small = Buffer::zeros(DType::U8, 1000).unwrap();
    assert_eq!(small.try_resize(20 * MEGABYTE).unwrap_err().code().0, "E0605");
    drop((growing, small));

    // What others own is not counted, a copy of it is.
    let lent = Arc::new(vec![1u8; 90 * MEGABYTE]);
    // SAFETY: the vector stays as it is while the `Arc` lives.
    let shared =
        unsafe { Buffer::borrow(DType::U8, lent.as_ptr(), lent.len(), lent.clone(), Writers::Nobody) };
    let most = array(90).unwrap();
    assert_eq!(shared.duplicate().unwrap_err().code().0, "E0605");
    drop(most);
    let copy = shared.duplicate().unwrap();
    assert_eq!(array(20).unwrap_err().code().0, "E0605");
    // What cannot be refused is counted.
    let clone = copy.clone();
    assert!(memory::held_bytes() > 180 << 20);
    assert_eq!(Buffer::zeros(DType::U8, 1).unwrap_err().code().0, "E0605");
    drop((copy, clone, shared));

    two_threads_share_the_limit();
    let (all, _) = fill(7);
    assert_eq!(all.len(), 14);
    drop(all);
    // Freed memory that is kept is still held; asking for more than is left gives it back.
    assert!(memory::allow(|| "all".into(), 99 << 20).is_ok());
    assert!(memory::held_bytes() <= before + 4096, "{} of {before}", memory::held_bytes());
    memory::set_limit(0);
}
