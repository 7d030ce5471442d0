//! The few functions of libjack that the example needs, so that it has no dependency. A real
//! program uses the crate `jack`, whose process callback gets the same buffers.

use std::ffi::{c_void, CString};
use std::os::raw::{c_char, c_int, c_ulong};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::{self, NonNull};
use std::slice;

const AUDIO: &[u8] = b"32 bit float mono audio\0";
const NO_START_SERVER: c_int = 1;
const IS_INPUT: c_ulong = 1;
const IS_OUTPUT: c_ulong = 2;
const IS_PHYSICAL: c_ulong = 4;

type Process = extern "C" fn(frames: u32, argument: *mut c_void) -> c_int;

#[link(name = "jack")]
extern "C" {
    fn jack_client_open(name: *const c_char, options: c_int, status: *mut c_int, ...) -> *mut c_void;
    fn jack_client_close(client: *mut c_void) -> c_int;
    fn jack_get_sample_rate(client: *mut c_void) -> u32;
    fn jack_port_register(
        client: *mut c_void,
        name: *const c_char,
        kind: *const c_char,
        flags: c_ulong,
        size: c_ulong,
    ) -> *mut c_void;
    fn jack_port_name(port: *const c_void) -> *const c_char;
    fn jack_port_get_buffer(port: *mut c_void, frames: u32) -> *mut c_void;
    fn jack_set_process_callback(client: *mut c_void, process: Process, argument: *mut c_void) -> c_int;
    fn jack_activate(client: *mut c_void) -> c_int;
    fn jack_get_ports(
        client: *mut c_void,
        name: *const c_char,
        kind: *const c_char,
        flags: c_ulong,
    ) -> *mut *const c_char;
    fn jack_connect(client: *mut c_void, from: *const c_char, to: *const c_char) -> c_int;
    fn jack_free(memory: *mut c_void);
}

/// In which direction a client's port goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Input,
    Output,
}

/// A client with one port, before it is activated.
pub struct Client {
    client: NonNull<c_void>,
    port: NonNull<c_void>,
}

impl Client {
    /// Connects to the server that is running.
    pub fn open(name: &str, port: &str, direction: Direction) -> Result<Self, String> {
        let name = CString::new(name).map_err(|error| error.to_string())?;
        let port = CString::new(port).map_err(|error| error.to_string())?;
        // SAFETY: The name exists during the call; no status is requested.
        let client = unsafe { jack_client_open(name.as_ptr(), NO_START_SERVER, ptr::null_mut()) };
        let client = NonNull::new(client)
            .ok_or("no JACK server runs; start one: jackd -d alsa (no sound card: -d dummy)")?;
        let flags = if direction == Direction::Input { IS_INPUT } else { IS_OUTPUT };
        // SAFETY: The client is open, and the texts exist during the call.
        let registered =
            unsafe { jack_port_register(client.as_ptr(), port.as_ptr(), AUDIO.as_ptr().cast(), flags, 0) };
        match NonNull::new(registered) {
            Some(port) => Ok(Self { client, port }),
            None => {
                // SAFETY: The client is open, and nothing uses it any longer.
                unsafe { jack_client_close(client.as_ptr()) };
                Err("the JACK server has no port left".to_string())
            }
        }
    }

    pub fn sample_rate(&self) -> u32 {
        // SAFETY: The client is open.
        unsafe { jack_get_sample_rate(self.client.as_ptr()) }
    }

    /// Calls a function on the audio thread, once per cycle, with the port's buffer.
    pub fn activate<F: FnMut(&mut [f32]) + Send + 'static>(self, callback: F) -> Result<Active<F>, String> {
        let cycle = Box::into_raw(Box::new(Cycle { port: self.port, callback }));
        let active = Active { client: self.client, port: self.port, cycle };
        // SAFETY: The client is open. `cycle` exists until it is closed.
        let status = unsafe {
            jack_set_process_callback(self.client.as_ptr(), process::<F>, cycle.cast())
                | jack_activate(self.client.as_ptr())
        };
        if status == 0 {
            Ok(active)
        } else {
            Err("the JACK server does not activate the client".to_string())
        }
    }
}

struct Cycle<F> {
    port: NonNull<c_void>,
    callback: F,
}

extern "C" fn process<F: FnMut(&mut [f32])>(frames: u32, argument: *mut c_void) -> c_int {
    // SAFETY: The argument is the cycle, which only this thread uses until the client is closed.
    // The buffer has as many samples, and is the callback's until it returns.
    let (cycle, samples) = unsafe {
        let cycle = &mut *argument.cast::<Cycle<F>>();
        let buffer = jack_port_get_buffer(cycle.port.as_ptr(), frames).cast::<f32>();
        (cycle, slice::from_raw_parts_mut(buffer, frames as usize))
    };
    // A panic must not unwind into the C library. It has been reported already.
    if panic::catch_unwind(AssertUnwindSafe(|| (cycle.callback)(samples))).is_err() {
        std::process::abort();
    }
    0
}

/// A client whose callback is called. Dropping it closes the client, and then drops the callback.
pub struct Active<F> {
    client: NonNull<c_void>,
    port: NonNull<c_void>,
    cycle: *mut Cycle<F>,
}

impl<F> Active<F> {
    /// Connects an output to the speakers, if there are any.
    pub fn connect_to_speakers(&self) {
        // SAFETY: The client is open; the list ends with null, and is freed once.
        unsafe {
            let client = self.client.as_ptr();
            let speakers = jack_get_ports(client, ptr::null(), AUDIO.as_ptr().cast(), IS_PHYSICAL | IS_INPUT);
            let mut next = speakers;
            while !next.is_null() && !(*next).is_null() {
                jack_connect(client, jack_port_name(self.port.as_ptr()), *next);
                next = next.add(1);
            }
            jack_free(speakers.cast());
        }
    }

    /// Connects another client's output to this client's input. Returns whether that has
    /// succeeded.
    #[allow(dead_code)] // the tests do
    pub fn connect_from(&self, output: &str) -> bool {
        let output = CString::new(output).unwrap_or_default();
        // SAFETY: The client is open, and the names exist during the call.
        unsafe {
            jack_connect(self.client.as_ptr(), output.as_ptr(), jack_port_name(self.port.as_ptr())) == 0
        }
    }
}

impl<F> Drop for Active<F> {
    fn drop(&mut self) {
        // SAFETY: The audio thread no longer runs when the client is closed; nothing else uses
        // the cycle.
        unsafe {
            jack_client_close(self.client.as_ptr());
            drop(Box::from_raw(self.cycle));
        }
    }
}
