//! Sessions, for the thread that handles events.

use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::io::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use audiosession_sys as sys;

use crate::handle::Handle;
use crate::poll;
use crate::text;
use crate::web;
use crate::{Error, ErrorKind, Event, Gate, Permission, Port, State};

mod requests;

/// A session at the arbiter.
///
/// It can be sent to another thread, and is used by one at a time. Methods that send a request
/// wait for the reply: a few milliseconds usually, and 10 s at most if the arbiter hangs or has
/// to be started. Call none on the audio thread, for which the session has its
/// [`gate`](Self::gate).
///
/// # Events
///
/// The arbiter disconnects a program that does not dispatch for some seconds. A program without
/// an event loop calls [`wait`](Self::wait). One with an event loop adds the session's descriptor
/// ([`AsFd`], [`AsRawFd`]) to it, and reads [`events`](Self::events) when it is readable.
///
/// # The end
///
/// Dropping the session ends it at once, also while the arbiter is lost or does not answer, and
/// waits for no reply: other programs are notified, and may resume. If its [`gate`](Self::gate)
/// is in use elsewhere, that one fades out and remains closed.
///
/// If the arbiter ends, the gate keeps the last decision, and the session is restored with the
/// next arbiter. [`Event::ArbiterLost`] and [`Event::ArbiterReturned`] report it.
///
/// # Forks
///
/// A child process that was forked has no part in the session: requests fail there, there is no
/// gate, the state is that of the fork, and to drop the session does not end it. A session that
/// is [detached](Self::detached) works there, too.
pub struct Session {
    handle: Arc<Handle>,
    // What a session without an arbiter has instead.
    detached: Option<Detached>,
    // Only one thread at a time may use a session, also by `&self`.
    _not_sync: PhantomData<*mut ()>,
}

// SAFETY: The library lets any thread use a session, one at a time; the type is not `Sync`.
// `Handle` is `Send` and `Sync`.
unsafe impl Send for Session {}

struct Detached {
    reason: Error,
    // A descriptor that is never readable, for event loops, and the other end, which is never
    // written to.
    descriptor: UnixStream,
    _other_end: UnixStream,
}

impl Session {
    // ---- Opening

    /// Connects to the arbiter, starts it if it is not running, and creates an inactive session
    /// of category [`SoloAmbient`](crate::Category::SoloAmbient). Takes 15 s at most.
    ///
    /// The socket is that of the environment variable `AUDIOSESSION_SOCKET`, or the one in the
    /// user's runtime folder. The arbiter's program is the one in `AUDIOSESSIOND`,
    /// `audiosessiond` in the folder of this program, or the one on the `PATH`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoArbiter`] if there is no service, and others. See
    /// [`open_or_detached`](Self::open_or_detached).
    pub fn open() -> Result<Self, Error> {
        // SAFETY: Null is accepted.
        unsafe { Self::open_c(ptr::null()) }
    }

    /// As [`open`](Self::open), at another socket.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), also for a path that is too long for a socket;
    /// [`ErrorKind::BadArgument`] for one that contains a null character.
    pub fn open_at(socket_path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = text::to_c(socket_path.as_ref().as_os_str().as_bytes(), "The socket's path")?;
        // SAFETY: `path` exists until the call returns.
        unsafe { Self::open_c(path.as_ptr().cast()) }
    }

    /// As [`open`](Self::open); if that fails, for whatever reason, returns a session that is
    /// [detached](Self::detached), so that the program plays as if there were no sessions.
    /// [`unavailable`](Self::unavailable) returns the reason, which need not be that there is no
    /// service: a program that should not ignore other errors looks at its
    /// [`kind`](Error::kind).
    ///
    /// ```no_run
    /// # fn main() -> Result<(), audiosession::Error> {
    /// let mut session = audiosession::Session::open_or_detached()?;
    /// if let Some(reason) = session.unavailable() {
    ///     eprintln!("plays without a session: {reason}");
    /// }
    /// session.activate()?; // succeeds in both cases
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoMemory`] if the program has no file descriptors left.
    pub fn open_or_detached() -> Result<Self, Error> {
        Self::open().or_else(Self::detached)
    }

    /// Creates a session without an arbiter, for the given reason: all requests succeed and do
    /// nothing, except that arguments are checked and [`why`](Self::why) and
    /// [`request`](Self::request) fail; there are no events, its descriptor is never readable,
    /// and its gate is open.
    ///
    /// ```no_run
    /// use audiosession::Session;
    ///
    /// # fn main() -> Result<(), audiosession::Error> {
    /// let session = Session::open_at("/run/kiosk/arbiter.socket").or_else(Session::detached)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoMemory`] if the program has no file descriptors left.
    pub fn detached(reason: Error) -> Result<Self, Error> {
        let (descriptor, other_end) = UnixStream::pair().map_err(|error| {
            Error::new(ErrorKind::NoMemory, format!("No descriptor is left for a detached session: {error}."))
        })?;
        let detached = Detached { reason, descriptor, _other_end: other_end };
        Ok(Self { handle: Arc::new(Handle::detached()), detached: Some(detached), _not_sync: PhantomData })
    }

    /// # Safety
    ///
    /// The path is null, or ends with a null character.
    unsafe fn open_c(path: *const sys::c_char) -> Result<Self, Error> {
        let (session, error) = Error::of_call(|error| {
            // SAFETY: The caller guarantees it; the error exists during the call.
            unsafe { sys::asession_open(path, error) }
        });
        if session.is_null() {
            return Err(Error::from_c(&error));
        }
        // SAFETY: Nobody else has the session.
        let handle = unsafe { Handle::new(session) };
        Ok(Self { handle: Arc::new(handle), detached: None, _not_sync: PhantomData })
    }

    /// Why the session is [detached](Self::detached); `None` for one that has an arbiter, also
    /// while it is lost.
    #[must_use]
    pub fn unavailable(&self) -> Option<&Error> {
        self.detached.as_ref().map(|detached| &detached.reason)
    }

    /// The session's number at the arbiter, as `audiosession status` shows it; `None` without an
    /// arbiter. It changes if the next arbiter does not know the session.
    #[must_use]
    pub fn id(&self) -> Option<u64> {
        // SAFETY: The session is null or valid, and used by this thread alone, as in all methods.
        // It only reads what has been received, which is allowed in a forked child process, too.
        let id = unsafe { sys::asession_id(self.handle.session()) };
        Some(id).filter(|&id| id != 0)
    }

    /// The gate, for the audio thread. It may be dropped and obtained again; `None` while there
    /// is one, since two would both advance the ramps, and in a forked child process.
    #[must_use]
    pub fn gate(&mut self) -> Option<Gate> {
        if !self.handle.is_of_this_process() {
            return None;
        }
        // Also waits for the last access of an earlier gate, which another thread may have made.
        Arc::get_mut(&mut self.handle)?;
        Some(Gate::of(Arc::clone(&self.handle)))
    }

    // ---- State

    /// The state, as of the last dispatch or request. All is zero for a session that is
    /// [detached](Self::detached).
    #[must_use]
    pub fn state(&self) -> State {
        let mut state = MaybeUninit::zeroed();
        // SAFETY: As in `id`. The function writes to the structure, which consists of numbers and
        // of booleans that are 0 before, so that it is valid in any case.
        let state: sys::asession_state_t = unsafe {
            sys::asession_state(self.handle.session(), state.as_mut_ptr());
            state.assume_init()
        };
        State::from_c(&state)
    }

    /// The state of the W3C's Audio Session API, as of the last dispatch or request: `inactive`,
    /// `active` or `interrupted`.
    #[must_use]
    pub fn web_state(&self) -> &'static str {
        // SAFETY: As in `id`.
        web::static_text(unsafe { sys::asession_web_state(self.handle.session()) })
    }

    /// What the session takes input from. [`Event::RouteChanged`] reports changes.
    #[must_use]
    pub fn route_inputs(&self) -> Vec<Port> {
        self.ports(sys::ASESSION_ROUTE_INPUTS)
    }

    /// What the session plays to. [`Event::RouteChanged`] reports changes.
    #[must_use]
    pub fn route_outputs(&self) -> Vec<Port> {
        self.ports(sys::ASESSION_ROUTE_OUTPUTS)
    }

    /// What [`prefer_input`](Self::prefer_input) accepts. [`Event::AvailableInputsChanged`]
    /// reports changes.
    #[must_use]
    pub fn available_inputs(&self) -> Vec<Port> {
        self.ports(sys::ASESSION_AVAILABLE_INPUTS)
    }

    fn ports(&self, list: sys::asession_ports_t) -> Vec<Port> {
        (0..).map_while(|index| self.port(list, index)).collect()
    }

    fn port(&self, list: sys::asession_ports_t, index: u32) -> Option<Port> {
        let mut port = MaybeUninit::<sys::asession_port_t>::zeroed();
        // SAFETY: As in `id`. The function writes to the structure.
        if !unsafe { sys::asession_get_port(self.handle.session(), list, index, port.as_mut_ptr()) } {
            return None;
        }
        // SAFETY: The structure consists of numbers, which were 0 or are written.
        let port = unsafe { port.assume_init() };
        Some(Port {
            uid: text::from_array(&port.uid),
            name: text::from_array(&port.name),
            port_type: text::from_array(&port.type_),
            channels: port.channels,
        })
    }

    /// Whether the program may record, as of the last dispatch or request (PERM-1). The arbiter
    /// keeps the answer for each program.
    #[must_use]
    pub fn record_permission(&self) -> Permission {
        // SAFETY: As in `id`.
        let permission = unsafe { sys::asession_record_permission(self.handle.session()) };
        Permission::from_c(permission).unwrap_or(Permission::Undetermined)
    }

    // ---- Events

    /// Receives what the arbiter has sent, answers its pings, and connects again after a loss.
    /// Does not wait, except for half a second if the arbiter hangs, and for 5 s at most if it
    /// has to start the next one. Read all events after it; [`events`](Self::events) does both.
    pub fn dispatch(&mut self) {
        if self.handle.is_of_this_process() {
            // SAFETY: The session is as in `id`, and of this process.
            unsafe { sys::asession_dispatch(self.handle.session()) }
        }
    }

    /// Returns the next event that [`dispatch`](Self::dispatch) or a request has received, and
    /// removes it. If more than 1,024 wait, the oldest is dropped.
    pub fn next_event(&mut self) -> Option<Event> {
        if !self.handle.is_of_this_process() {
            return None;
        }
        let mut event = MaybeUninit::<sys::asession_event_t>::zeroed();
        // SAFETY: As in `id`. The function writes to the structure.
        if !unsafe { sys::asession_next_event(self.handle.session(), event.as_mut_ptr()) } {
            return None;
        }
        // SAFETY: The structure consists of numbers and a boolean, which were 0 or are written.
        Some(Event::from_c(&unsafe { event.assume_init() }))
    }

    /// Dispatches, and iterates over the events that have been received. Waits for none, but
    /// takes as long as [`dispatch`](Self::dispatch): 5 s at most if it has to start the next
    /// arbiter. Events that are not read remain.
    ///
    /// The iterator borrows the session. A loop that also sends requests reads one event after
    /// another:
    ///
    /// ```no_run
    /// # use audiosession::{Error, Event, Session};
    /// # fn is_readable(session: &mut Session) -> Result<(), Error> {
    /// session.dispatch();
    /// while let Some(event) = session.next_event() {
    ///     if let Event::InterruptionEnded { should_resume: true, .. } = event {
    ///         session.activate()?;
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn events(&mut self) -> Events<'_> {
        self.dispatch();
        Events { session: self }
    }

    /// Waits for the next event, and dispatches meanwhile. Returns `None` if there was none
    /// within the timeout; without a timeout, there is always one. Signal handlers run meanwhile,
    /// and do not end it. If it has to start the next arbiter, it may take 5 s longer than the
    /// timeout.
    ///
    /// # Errors
    ///
    /// - For a session that is [detached](Self::detached), and so has no events: the reason, if
    ///   there is no timeout, or one that is too long for the clock.
    /// - [`ErrorKind::BadArgument`] in a forked child process, for a session of its parent.
    /// - [`ErrorKind::NoMemory`] if the system cannot wait.
    pub fn wait(&mut self, timeout: impl Into<Option<Duration>>) -> Result<Option<Event>, Error> {
        // A timeout of ages has no end.
        let timeout = timeout.into();
        let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        if !self.handle.is_of_this_process() {
            self.call(|_, _| ())?;
        }
        if let (Some(reason), None) = (self.unavailable(), end) {
            return Err(reason.clone());
        }
        loop {
            self.dispatch();
            if let Some(event) = self.next_event() {
                return Ok(Some(event));
            }
            if end.map_or(false, |end| end <= Instant::now()) {
                return Ok(None);
            }
            poll::wait_for(self.as_raw_fd(), end).map_err(|error| {
                Error::new(ErrorKind::NoMemory, format!("The system cannot wait for events: {error}."))
            })?;
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // While a gate exists, the C session's memory remains, but other programs should not
        // wait for that.
        if self.handle.is_of_this_process() {
            // SAFETY: The session is as in `id`, and of this process. From now on, only the gate
            // and `Handle::drop` use it, which is allowed.
            unsafe { sys::asession_end(self.handle.session()) }
        }
    }
}

impl AsRawFd for Session {
    /// A descriptor that is readable when [`dispatch`](Session::dispatch) has something to do,
    /// for any event loop. It does not change. Do not read from it.
    fn as_raw_fd(&self) -> RawFd {
        match &self.detached {
            Some(detached) => detached.descriptor.as_raw_fd(),
            // SAFETY: As in `id`; the descriptor was stored when the session was opened.
            None => unsafe { sys::asession_fd(self.handle.session()) },
        }
    }
}

impl AsFd for Session {
    /// See [`as_raw_fd`](AsRawFd::as_raw_fd).
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: The descriptor is open as long as the session: it is -1 only for null, which is
        // detached.
        unsafe { BorrowedFd::borrow_raw(self.as_raw_fd()) }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Session")
            .field("id", &self.id())
            .field("state", &self.state())
            .field("unavailable", &self.unavailable())
            .finish_non_exhaustive()
    }
}

/// An iterator over the events that a session has received ([`Session::events`]).
#[derive(Debug)]
#[must_use = "events are received, and have to be read"]
pub struct Events<'session> {
    session: &'session mut Session,
}

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        self.session.next_event()
    }
}
