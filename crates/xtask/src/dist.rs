//! The command as it is given to others: stripped, and of bounded size.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The most bytes it may take.
const ROOM: usize = 20 << 20;

/// Builds the command and looks at it; what there is to say of it.
///
/// # Errors
/// Where it cannot be built, has tables for debuggers or takes too much room.
pub fn build_command(root: &Path) -> Result<String, String> {
    let mut cargo = Command::new("cargo");
    let done = cargo.args(["build", "--profile", "dist", "-p", "openwork-cli"]).current_dir(root).status();
    if !done.is_ok_and(|s| s.success()) {
        return Err("the command cannot be built".into());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let file = target.join("dist/openwork");
    let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    looked_at(&bytes).map_err(|e| format!("{}: {e}", file.display()))
}

/// What there is to say of an executable.
///
/// # Errors
/// As [`build_command`].
fn looked_at(bytes: &[u8]) -> Result<String, String> {
    let names = sections(bytes).ok_or("it is no executable of 64 bits for Linux")?;
    let tables =
        |name: &&String| name.starts_with(".debug") || name.starts_with(".zdebug") || *name == ".symtab";
    if let Some(name) = names.iter().find(tables) {
        return Err(format!("it has a section {name}"));
    }
    let (size, room) = (bytes.len() as f64 / 1e6, ROOM as f64 / 1e6);
    match bytes.len() <= ROOM {
        true => Ok(format!("the command has {size:.1} MB of {room:.0}, and no tables for debuggers")),
        false => Err(format!("it has {size:.1} MB, and may have {room:.0}")),
    }
}

/// The names of the sections of an ELF file of 64 bits, the least significant byte first.
fn sections(bytes: &[u8]) -> Option<Vec<String>> {
    let number = |at: usize, size: usize| -> Option<usize> {
        let bytes = bytes.get(at..at.checked_add(size)?)?;
        Some(bytes.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b)))
    };
    bytes.starts_with(b"\x7fELF\x02\x01").then_some(())?;
    let (table, each) = (number(0x28, 8)?, number(0x3a, 2)?);
    let header = |n: usize| table.checked_add(n.checked_mul(each)?);
    let texts = number(header(number(0x3e, 2)?)?.checked_add(0x18)?, 8)?;
    let name = |n: usize| {
        let at = texts.checked_add(number(header(n)?, 4)?)?;
        let name = bytes.get(at..)?.split(|&b| b == 0).next()?;
        Some(String::from_utf8_lossy(name).into_owned())
    };
    (0..number(0x3c, 2)?).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_strips_and_a_program_with_tables_is_refused() {
        let manifest = std::fs::read_to_string(crate::root().join("Cargo.toml")).unwrap();
        let profile = manifest.split_once("[profile.dist]").unwrap().1.split("\n[").next().unwrap();
        assert!(profile.contains("strip = true") && profile.contains("debug = false"), "{profile}");
        // This program has symbols, like all that are built for tests.
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(looked_at(&own).unwrap_err().contains("a section ."));
        assert!(looked_at(b"#!/bin/sh").is_err() && looked_at(&own[..100]).is_err());
    }
}
