//! The backends that there are, by name.

/// The kind of backend that runs kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BackendKind {
    /// Cranelift in the process: always there, compiles in about a millisecond.
    Clif,
    /// C through the system's compiler.
    C,
    /// The bounds-checking interpreter.
    Interp,
}

impl BackendKind {
    /// Every backend.
    pub const ALL: [BackendKind; 3] = [BackendKind::Clif, BackendKind::C, BackendKind::Interp];
    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            BackendKind::Clif => "clif",
            BackendKind::C => "c",
            BackendKind::Interp => "interp",
        }
    }
    /// The backend called `name`.
    pub fn by_name(name: &str) -> Option<BackendKind> {
        BackendKind::ALL.into_iter().find(|b| b.name() == name)
    }
}
