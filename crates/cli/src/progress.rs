//! Reading with a progress bar on stderr, when it is a terminal and the file takes a while.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use openwork::{Coo, DType, Result};
use openwork_storage::files::{ReadOptions, read_with};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Files read faster than this show no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// Reads a file.
///
/// # Errors
/// As [`read_with`].
pub(crate) fn read(path: &Path, dims: Option<Vec<usize>>, dtype: Option<DType>) -> Result<Coo> {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {bytes} of {total_bytes}, {eta} left");
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(format!("reading {}", path.display()));
    let start = Instant::now();
    let visible = AtomicBool::new(false);
    let report = |done: u64, all: u64| {
        // The bar draws nothing where stderr is no terminal.
        if start.elapsed() > PATIENCE && !visible.swap(true, Ordering::Relaxed) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.set_length(all);
        if done > bar.position() {
            bar.set_position(done);
        }
    };
    let read = read_with(path, &ReadOptions { dims, dtype, progress: Some(&report) });
    bar.finish_and_clear();
    read
}
