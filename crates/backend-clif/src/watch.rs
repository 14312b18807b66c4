//! Compiling can be asked to stop.
//!
//! Cranelift takes one function from end to end in a call that asks nobody, but it tells whoever measures it of each pass as that
//! begins: that is where we look.

use cranelift_codegen::timing::{Pass, Profiler, set_thread_profiler};
use openwork_base::cancel::look;
use std::any::Any;

/// Measures nothing, and looks for a request to stop before each pass.
struct PassWatch;

impl Profiler for PassWatch {
    fn start_pass(&self, _: Pass) -> Box<dyn Any> {
        look();
        Box::new(())
    }
}

/// Lets Cranelift look for requests to stop on this thread from now on: whoever compiles on it, and is not stoppable, notices nothing.
pub(crate) fn watch_passes() {
    set_thread_profiler(Box::new(PassWatch));
}
