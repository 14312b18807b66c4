//! Progress on stderr, where it is a terminal, of what takes a while: files that are read and written, and what nobody knows
//! the length of.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use openwork::{Coo, DType, Result, Tensor};
use openwork_storage::files::{ReadOptions, WriteOptions, read_with, write_with};
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What is faster than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where bars are drawn, and how long work takes before one is.
#[derive(Clone)]
struct Screen {
    patience: Duration,
    target: Arc<dyn Fn() -> ProgressDrawTarget + Send + Sync>,
}

impl Screen {
    /// On stderr; nothing is drawn where that is no terminal.
    fn stderr() -> Screen {
        Screen { patience: PATIENCE, target: Arc::new(ProgressDrawTarget::stderr) }
    }
}

thread_local! {
    static SCREEN: RefCell<Screen> = RefCell::new(Screen::stderr());
}

/// The screen of this thread's work.
fn screen() -> Screen {
    SCREEN.with_borrow(Screen::clone)
}

/// A bar that appears when its work has taken a while.
struct Bar {
    bar: ProgressBar,
    screen: Screen,
    start: Instant,
    visible: AtomicBool,
}

impl Bar {
    fn new(screen: Screen, message: String, template: &str) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(message);
        Bar { bar, screen, start: Instant::now(), visible: AtomicBool::new(false) }
    }
    fn report(&self, done: u64, all: u64) {
        if self.start.elapsed() > self.screen.patience && !self.visible.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target((self.screen.target)());
        }
        self.bar.set_length(all);
        if done > self.bar.position() {
            self.bar.set_position(done);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Reads a file.
///
/// # Errors
/// As [`read_with`].
pub(crate) fn read(
    path: &Path,
    dims: Option<Vec<usize>>,
    dtype: Option<DType>,
    from_zero: bool,
) -> Result<Coo> {
    let template = "{msg} [{bar:30}] {bytes} of {total_bytes}, {eta} left";
    let bar = Bar::new(screen(), format!("reading {}", path.display()), template);
    let report = |done, all| bar.report(done, all);
    read_with(path, &ReadOptions { dims, dtype, from_zero, progress: Some(&report) })
}

/// Writes a file.
///
/// # Errors
/// As [`write_with`].
pub(crate) fn write(path: &Path, tensor: &Tensor) -> Result<()> {
    let template = "{msg} [{bar:30}] {percent} %, {eta} left";
    let bar = Bar::new(screen(), format!("writing {}", path.display()), template);
    let report = |done, all| bar.report(done, all);
    write_with(path, tensor, &WriteOptions { progress: Some(&report) })
}

/// Does work of which nobody knows how long it will take, and shows that it goes on.
pub(crate) fn run_with_message<T>(message: impl Into<String>, work: impl FnOnce() -> T) -> T {
    let (done, wait) = channel::<()>();
    let (message, screen) = (message.into(), screen());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Who has no patience sees also what is done by now.
            let waited = |patience| wait.recv_timeout(patience) == Err(RecvTimeoutError::Timeout);
            if screen.patience.is_zero() || waited(screen.patience) {
                let target = (screen.target)();
                let bar = Bar::new(screen, message, "{spinner} {msg}, {elapsed}");
                bar.bar.set_draw_target(target);
                bar.bar.tick();
                bar.bar.enable_steady_tick(Duration::from_millis(100));
                let _ = wait.recv();
            }
        });
        let result = work();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests;
