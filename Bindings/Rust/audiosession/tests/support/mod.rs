//! What the tests share: an arbiter of their own, and commands to it.

#![allow(dead_code)] // not every test file uses all of it

use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::raw::{c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use audiosession::{Event, Session};

pub const PATIENCE: Duration = Duration::from_secs(20);

/// The tests of a process share its environment, which the library reads: they run one after
/// another.
static ENVIRONMENT: Mutex<()> = Mutex::new(());

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .find(|folder| folder.join("Package.swift").exists())
        .expect("the source tree")
        .to_path_buf()
}

fn programs() -> PathBuf {
    std::env::var_os("AUDIO_TEST_PROGRAMS").map_or_else(|| root().join(".build/debug"), PathBuf::from)
}

/// Returns whether a condition becomes true.
pub fn eventually(condition: impl FnMut() -> bool) -> bool {
    within(PATIENCE, condition)
}

/// The same within another time. The condition is examined once at least.
pub fn within(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    while !condition() {
        if Instant::now() > end {
            return false;
        }
        std::thread::park_timeout(Duration::from_millis(2));
    }
    true
}

/// Returns the next event that this function accepts, and skips others.
pub fn await_event<R>(session: &mut Session, mut accept: impl FnMut(&Event) -> Option<R>) -> R {
    let end = Instant::now() + PATIENCE;
    let mut skipped = Vec::new();
    while let Some(left) = end.checked_duration_since(Instant::now()) {
        match session.wait(left).expect("a session with an arbiter") {
            Some(event) => match accept(&event) {
                Some(result) => return result,
                None => skipped.push(event),
            },
            None => break,
        }
    }
    panic!("no such event in 20 s; {skipped:?} were skipped");
}

/// An empty folder and an environment in which the library starts an arbiter with the default
/// settings. The arbiter ends, and the environment is restored, when the value is dropped.
pub struct Arbiter {
    pub folder: PathBuf,
    before: Vec<(&'static str, Option<OsString>)>,
    _watchdog: Watchdog,
    _lock: MutexGuard<'static, ()>,
}

impl Arbiter {
    pub fn new() -> Self {
        let lock = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
        let watchdog = Watchdog::new();
        let mut arbiter = Self { folder: new_folder(), before: Vec::new(), _watchdog: watchdog, _lock: lock };
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME"] {
            arbiter.set(name, arbiter.folder.clone());
        }
        arbiter.set("AUDIOSESSION_SOCKET", arbiter.socket());
        arbiter.set("AUDIOSESSIOND", programs().join("audiosessiond"));
        arbiter
    }

    /// One whose program does not exist.
    pub fn missing() -> Self {
        let mut arbiter = Self::new();
        arbiter.set("AUDIOSESSIOND", arbiter.folder.join("missing"));
        arbiter
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.join("arbiter.socket")
    }

    fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.before.push((name, std::env::var_os(name)));
        std::env::set_var(name, value.into());
    }

    /// Runs the command line, and returns what it prints.
    pub fn command(&self, arguments: &[&str]) -> String {
        let output = Command::new(programs().join("audiosession")).args(arguments).output().unwrap();
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "audiosession {arguments:?}: {text}{errors}");
        text.into_owned()
    }

    /// Whether a process listens at the socket.
    pub fn is_running(&self) -> bool {
        peer(&self.socket()).is_some()
    }

    /// Whether the arbiter has any session.
    pub fn has_sessions(&self) -> bool {
        !self.command(&["status", "--json"]).contains("\"sessions\":[]")
    }

    /// Whether the arbiter has a session of this number.
    pub fn knows(&self, id: u64) -> bool {
        self.command(&["status", "--json"]).contains(&format!("\"id\":{id},"))
    }

    /// Kills the arbiter, and waits until it has ended.
    pub fn kill(&self) {
        self.end(9);
    }

    fn end(&self, signal: c_int) {
        if let Some(process) = peer(&self.socket()) {
            // SAFETY: The function takes two numbers.
            unsafe { kill(process, signal) };
            assert!(eventually(|| has_ended(process) && !self.is_running()), "the arbiter has ended");
        }
    }
}

impl Drop for Arbiter {
    fn drop(&mut self) {
        if let Some(process) = peer(&self.socket()) {
            // SAFETY: The function takes two numbers.
            unsafe { kill(process, 15) };
            eventually(|| has_ended(process) && !self.is_running());
        }
        for (name, value) in self.before.drain(..).rev() {
            match value {
                Some(value) => std::env::set_var(name, value),
                None => std::env::remove_var(name),
            }
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Creates a folder that did not exist.
fn new_folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("rust-{}-{}", std::process::id(), number));
        match fs::create_dir(&folder) {
            Ok(()) => return folder,
            // An earlier process had the same number.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => panic!("{}: {error}", folder.display()),
        }
    }
}

/// Aborts the process after 60 s, unless it is dropped before: for tests that wait without limit.
struct Watchdog {
    // The thread ends when it is dropped.
    _ends: mpsc::Sender<()>,
}

impl Watchdog {
    fn new() -> Self {
        let (ends, ended) = mpsc::channel();
        let test = std::thread::current().name().unwrap_or("a test").to_string();
        std::thread::spawn(move || {
            if ended.recv_timeout(Duration::from_secs(60)) == Err(mpsc::RecvTimeoutError::Timeout) {
                // Not `eprintln`, which tests capture.
                let _ = writeln!(std::io::stderr(), "{test} has not ended within 60 s");
                std::process::abort();
            }
        });
        Self { _ends: ends }
    }
}

/// Whether a process has ended; nobody may have reaped it yet.
fn has_ended(process: c_int) -> bool {
    match fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(text) => text.rsplit(')').next().map_or(true, |rest| rest.trim_start().starts_with('Z')),
        Err(_) => true,
    }
}

// The standard library has no sockets of the type SOCK_SEQPACKET.
#[repr(C)]
struct UnixAddress {
    family: u16,
    path: [u8; 108],
}

extern "C" {
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn connect(socket: c_int, address: *const UnixAddress, length: u32) -> c_int;
    fn getsockopt(socket: c_int, level: c_int, option: c_int, value: *mut c_void, length: *mut u32) -> c_int;
    fn close(descriptor: c_int) -> c_int;
    fn kill(process: c_int, signal: c_int) -> c_int;
}

/// Returns the process that listens at a socket.
fn peer(path: &Path) -> Option<c_int> {
    let mut address = UnixAddress { family: 1, path: [0; 108] };
    let bytes = path.as_os_str().as_bytes();
    address.path.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let mut credentials = [0 as c_int; 3];
    let mut length = 12;
    // SAFETY: All pointers are to values of the given lengths, which exist during the calls.
    let (connected, found) = unsafe {
        // AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC
        let descriptor = socket(1, 5 | 0o2000000, 0);
        let connected = connect(descriptor, &address, 110);
        // SOL_SOCKET, SO_PEERCRED
        let found = getsockopt(descriptor, 1, 17, credentials.as_mut_ptr().cast(), &mut length);
        close(descriptor);
        (connected, found)
    };
    Some(credentials[0]).filter(|_| connected == 0 && found == 0)
}

/// Applies a gate to blocks of ones until it has settled, and returns its gain.
pub fn settled(gate: &mut audiosession::Gate) -> f32 {
    let mut last = f32::NAN;
    let mut count = 0;
    assert!(eventually(|| {
        let mut block = [1.0f32; 480];
        gate.apply([&mut block]);
        let is_constant = block.iter().all(|&sample| sample == block[0]);
        let is_settled = is_constant && block[0] == last;
        last = block[0];
        count += 1;
        is_settled && count > 20
    }));
    last
}
