//! The C session, which a `Session` and its `Gate` share.

use std::process;
use std::ptr;

use audiosession_sys as sys;

/// Owns a C session, which is closed with the last reference.
pub(crate) struct Handle {
    // May be null: a session without an arbiter, which all functions accept.
    session: *mut sys::asession_t,
    // The process that opened it.
    process: u32,
}

// SAFETY: The library lets any thread close or use a session, one at a time, and the audio thread
// use the gate meanwhile. The `Handle` itself only calls `asession_close`, when nothing else has
// a reference.
unsafe impl Send for Handle {}
// SAFETY: A shared handle only copies the pointer. `Session` is not `Sync`, so that one thread at
// a time passes it to the functions of the owner; `Gate` passes it to `asession_gate` only while
// a `Session` calls.
unsafe impl Sync for Handle {}

impl Handle {
    /// Takes over a session, which may be null.
    ///
    /// # Safety
    ///
    /// Nothing else uses or closes the session.
    pub(crate) unsafe fn new(session: *mut sys::asession_t) -> Self {
        Self { session, process: process::id() }
    }

    pub(crate) fn detached() -> Self {
        // SAFETY: Null is no session.
        unsafe { Self::new(ptr::null_mut()) }
    }

    pub(crate) fn session(&self) -> *mut sys::asession_t {
        self.session
    }

    /// Whether this process opened the session, and was not forked since. A session without an
    /// arbiter belongs to any process.
    pub(crate) fn is_of_this_process(&self) -> bool {
        self.session.is_null() || self.process == process::id()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: The last reference goes, so that neither a `Session` nor a `Gate` uses it any
        // longer. In a forked child process, the function is allowed, too.
        unsafe { sys::asession_close(self.session) }
    }
}
