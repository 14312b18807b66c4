//! Ctrl-C while the main thread is at work and cannot ask Python for it.
//!
//! A handler of our own stands before Python's: it lets that one note the signal, and asks the work of the main thread to
//! stop. Python and everyone else may install another one at any time, so a call looks whether it is still there.

use openwork::Cancel;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::cell::Cell;

/// Who hears Ctrl-C during a call.
pub(crate) enum Listening {
    /// Nobody need hear it: Python does not tell this thread, or the process ignores it or dies of it.
    Nobody,
    /// Ourselves, for Python, which will raise `KeyboardInterrupt`.
    Here(Cancel),
    /// A handler of the user's, which Python has to be asked to run.
    Python,
}

/// What is known of Python's signals without asking twice.
struct SignalNames {
    main_thread: Py<PyAny>,
    get_ident: Py<PyAny>,
    getsignal: Py<PyAny>,
    sigint: Py<PyAny>,
    default: Py<PyAny>,
}

impl SignalNames {
    fn get(py: Python<'_>) -> PyResult<&'static SignalNames> {
        static NAMES: PyOnceLock<SignalNames> = PyOnceLock::new();
        NAMES.get_or_try_init(py, || {
            let threading = py.import("threading")?;
            // The functions of `signal` itself make enums of what these give, which takes longer than small kernels.
            let signal = py.import("_signal").or_else(|_| py.import("signal"))?;
            Ok(SignalNames {
                main_thread: threading.getattr("main_thread")?.unbind(),
                get_ident: threading.getattr("get_ident")?.unbind(),
                getsignal: signal.getattr("getsignal")?.unbind(),
                sigint: signal.getattr("SIGINT")?.unbind(),
                default: signal.getattr("default_int_handler")?.unbind(),
            })
        })
    }
}

thread_local! {
    /// Whether this thread was Python's main thread after so many forks: in the new process it is the only one.
    static MAIN: Cell<Option<(usize, bool)>> = const { Cell::new(None) };
}

fn is_main(py: Python<'_>, names: &SignalNames) -> PyResult<bool> {
    let forks = handler_of_ours::forks();
    if let Some((then, main)) = MAIN.get()
        && then == forks
    {
        return Ok(main);
    }
    let ident = names.main_thread.bind(py).call0()?.getattr("ident")?;
    let main = ident.eq(names.get_ident.bind(py).call0()?)?;
    MAIN.set(Some((forks, main)));
    Ok(main)
}

/// Begins to listen, where there is something to be heard.
pub(crate) fn listen(py: Python<'_>) -> PyResult<Listening> {
    let names = SignalNames::get(py)?;
    if !is_main(py, names)? {
        return Ok(Listening::Nobody);
    }
    // Whoever installs another handler, Python included, takes the place of ours.
    if let Some(here) = handler_of_ours::install_handler(py)? {
        return Ok(here);
    }
    let handler = names.getsignal.bind(py).call1((names.sigint.bind(py),))?;
    if handler.is(&names.default) {
        return handler_of_ours::heed(py);
    }
    // `SIG_DFL` and `SIG_IGN` are numbers, and a handler that Python did not install is None.
    Ok(if handler.is_callable() { Listening::Python } else { Listening::Nobody })
}

/// What Python raises for a signal that was heard.
pub(crate) fn exception(py: Python<'_>) -> PyErr {
    py.check_signals().err().unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))
}

#[cfg(unix)]
mod handler_of_ours {
    use super::{Cancel, Listening};
    use pyo3::prelude::*;
    use std::ffi::{c_int, c_void};
    use std::mem::{MaybeUninit, transmute};
    use std::ptr::{null, null_mut};
    use std::sync::Once;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

    /// The request that the next signal makes. It is never freed, as the handler may have it at any time; a new one takes its
    /// place once it was made.
    static REQUEST: AtomicPtr<Cancel> = AtomicPtr::new(null_mut());
    /// The handler before ours, and whether it wants to know about the signal.
    static BEFORE: AtomicUsize = AtomicUsize::new(0);
    static INFORMED: AtomicBool = AtomicBool::new(false);

    extern "C" fn hear_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let before = BEFORE.load(Ordering::Acquire);
        // Python notes the signal first, so that whoever sees the request finds it noted.
        // SAFETY: the address is that of a handler which `sigaction` gave, of the kind that its flags say.
        unsafe {
            if INFORMED.load(Ordering::Acquire) {
                let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = transmute(before);
                handler(signal, info, context);
            } else {
                let handler: extern "C" fn(c_int) = transmute(before);
                handler(signal);
            }
        }
        // SAFETY: the request lives for ever, and making it is one atomic store.
        unsafe { REQUEST.load(Ordering::Acquire).as_ref() }.inspect(|request| request.cancel());
    }

    fn own_handler() -> usize {
        hear_signal as *const () as usize
    }

    fn current() -> Option<libc::sigaction> {
        let mut action = MaybeUninit::uninit();
        // SAFETY: the call only writes what is installed.
        let done = unsafe { libc::sigaction(libc::SIGINT, null(), action.as_mut_ptr()) };
        // SAFETY: it did.
        (done == 0).then(|| unsafe { action.assume_init() })
    }
    /// How often the process is the copy of another one since this was first asked.
    pub(super) fn forks() -> usize {
        static FORKS: AtomicUsize = AtomicUsize::new(0);
        static COUNTING: Once = Once::new();
        extern "C" fn note_fork() {
            FORKS.fetch_add(1, Ordering::Relaxed);
        }
        COUNTING.call_once(|| {
            // SAFETY: the function only counts. Where it is refused for want of memory, a copy listens as its thread did.
            unsafe { libc::pthread_atfork(None, None, Some(note_fork)) };
        });
        FORKS.load(Ordering::Relaxed)
    }
    /// The request that Ctrl-C makes from now on, if it is ours that hears the signal.
    pub(super) fn install_handler(py: Python<'_>) -> PyResult<Option<Listening>> {
        match current() {
            Some(action) if action.sa_sigaction == own_handler() => request(py).map(Some),
            _ => Ok(None),
        }
    }
    fn install(action: &libc::sigaction) {
        // SAFETY: the action is one that was installed before, or that with our handler, which only calls the one before
        // and stores a flag. It cannot fail for a signal and a handler that exist.
        unsafe { libc::sigaction(libc::SIGINT, action, null_mut()) };
    }

    /// The request that the next signal makes.
    fn request(py: Python<'_>) -> PyResult<Listening> {
        // SAFETY: requests are never freed.
        let mut request = unsafe { REQUEST.load(Ordering::Acquire).as_ref() };
        if request.is_some_and(Cancel::is_cancelled) {
            // Perhaps Python has not got round to it yet.
            py.check_signals()?;
            request = None;
        }
        let request = request.unwrap_or_else(|| {
            let new = Box::leak(Box::new(Cancel::new()));
            REQUEST.store(new, Ordering::Release);
            new
        });
        Ok(Listening::Here(request.clone()))
    }
    /// The request that Ctrl-C makes from now on.
    pub(super) fn heed(py: Python<'_>) -> PyResult<Listening> {
        let here = request(py)?;
        let Some(before) = current() else { return Ok(Listening::Nobody) };
        let handler = before.sa_sigaction;
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            return Ok(Listening::Nobody);
        }
        if handler != own_handler() {
            BEFORE.store(handler, Ordering::Release);
            INFORMED.store(before.sa_flags & libc::SA_SIGINFO != 0, Ordering::Release);
            let flags = before.sa_flags & !libc::SA_RESTART | libc::SA_SIGINFO;
            install(&libc::sigaction { sa_sigaction: own_handler(), sa_flags: flags, ..before });
        }
        Ok(here)
    }
}

#[cfg(not(unix))]
mod handler_of_ours {
    use super::Listening;
    use pyo3::prelude::*;

    pub(super) fn forks() -> usize {
        0
    }
    pub(super) fn install_handler(_: Python<'_>) -> PyResult<Option<Listening>> {
        Ok(None)
    }
    /// There is none: Python is asked.
    pub(super) fn heed(_: Python<'_>) -> PyResult<Listening> {
        Ok(Listening::Python)
    }
}
