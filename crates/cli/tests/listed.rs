//! Every way that `explain` lists can be asked for.

use std::process::Command;

fn openwork(args: &[&str]) -> (bool, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_openwork")).args(args).output().expect("the command starts");
    (done.status.success(), String::from_utf8_lossy(&done.stdout).into_owned())
}

const STATEMENTS: &[&[&str]] = &[
    &["Y(l,k) = A(k,l) * B(k,l,j)", "-f", "A=csc", "-f", "B=dss", "-f", "Y=csr"],
    &["C(i,k) = M(i,k) * A(i,j) * B(j,k)", "-f", "A=csr", "-f", "B=csr", "-f", "M=csr", "-f", "C=csr"],
    &["C(i,j) = A(i,j) + B(i,j)", "-f", "A=csr", "-f", "B=csc", "-f", "C=coo"],
    &["y(i) = A(i,j) * B(j,k) * x(k)", "-f", "A=csc", "-f", "B=csf:1,0"],
    &["Y(i,r) = X(i,j,k) * B(j,r) * C(k,r)", "-f", "X=csf", "-f", "B=csr"],
];

#[test]
fn what_is_listed_can_be_asked_for() {
    let mut listed = 0;
    for statement in STATEMENTS {
        let (there, text) = openwork(&[&["explain"], *statement].concat());
        if !there {
            continue;
        }
        let ways = text.split("compared with\n").nth(1).map_or(0, |rest| rest.lines().count());
        for number in 1..=ways {
            let number = number.to_string();
            let (runs, text) = openwork(&[&["explain"], *statement, &["--use", &number]].concat());
            assert!(runs, "{}: {number}: {text}", statement[0]);
        }
        listed += ways;
    }
    assert!(listed >= 5, "{listed}");
}
