//! The settings of a process that its environment has, looked at together.

use crate::backend_kind::BackendKind;
use openwork_base::settings::Setting;
use openwork_base::{Result, machine, threads};
use openwork_runtime::cache;
use openwork_storage::memory;
use std::sync::OnceLock;

static BACKEND: Setting<BackendKind> =
    Setting::new("OPENWORK_BACKEND", "`clif`, `c` or `interp`", BackendKind::by_name);

/// The backend that `OPENWORK_BACKEND` names, which [`Session::global`](crate::Session::global) runs on.
pub fn backend_setting() -> Option<BackendKind> {
    BACKEND.value().copied()
}

/// Looks whether every variable of the environment that sets something is understood. Whatever compiles a statement looks
/// first; who only reads or stores tensors may look here. The variables are read once, whichever of them is needed first.
///
/// # Errors
/// `E0820` for the first one that is not.
pub fn check_settings() -> Result<()> {
    static ALL_ARE_UNDERSTOOD: OnceLock<()> = OnceLock::new();
    if ALL_ARE_UNDERSTOOD.get().is_some() {
        return Ok(());
    }
    threads::check_settings()?;
    memory::check_settings()?;
    cache::check_settings()?;
    BACKEND.check()?;
    machine::check_settings()?;
    ALL_ARE_UNDERSTOOD.get_or_init(|| ());
    Ok(())
}
