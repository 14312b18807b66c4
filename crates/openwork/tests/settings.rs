//! Settings from the environment that say nothing: functions of a session refuse them.

use openwork::{BackendKind, Decls, Session, Tensor, TensorExt, check_settings};
use std::process::Command;

/// Set where this test is a process of its own.
const CHILD: &str = "OPENWORK_SETTINGS_CHILD";

#[test]
fn functions_of_a_session_refuse_a_setting_that_says_nothing() {
    if std::env::var_os(CHILD).is_some() {
        refuses_everything();
        return;
    }
    for (name, text) in [
        ("OPENWORK_THREADS", "many"),
        ("OPENWORK_MEMORY_LIMIT", "-1"),
        ("OPENWORK_KERNEL_CACHE", "0"),
        ("OPENWORK_BACKEND", "llvm"),
        ("OPENWORK_MACHINE", "small"),
        ("OPENWORK_VARIANT", "0"),
    ] {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "settings::functions_of_a_session_refuse_a_setting_that_says_nothing"]);
        let done = child.env(CHILD, "1").env(name, text).output().unwrap();
        assert!(done.status.success(), "{name}={text}: {}", String::from_utf8_lossy(&done.stdout));
    }
    assert!(check_settings().is_ok());
}

fn refuses_everything() {
    let x = Tensor::from_vec(&[2], vec![1.0, 2.0]).unwrap();
    let (session, decls) = (Session::global(), Decls::default());
    let codes = [
        check_settings().err(),
        Session::new(BackendKind::Interp).err(),
        session.compile("y(i) = x(i)", &decls).err(),
        session.stages("y(i) = x(i)", &decls).err(),
        session.sequence("y(i) = x(i); z(i) = y(i)", &decls, None).err(),
        openwork::einsum("y(i) = x(i)", &[("x", &x)]).err(),
    ];
    for (n, error) in codes.into_iter().enumerate() {
        assert_eq!(error.map(|e| e.code().0), Some("E0820"), "{n}");
    }
}
