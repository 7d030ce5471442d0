//! Waiting for a descriptor, by poll(2), which the standard library does not have.

use std::io;
use std::os::raw::{c_int, c_short, c_ulong};
use std::time::{Duration, Instant};

#[repr(C)]
struct PollDescriptor {
    descriptor: c_int,
    events: c_short,
    returned: c_short,
}

const POLLIN: c_short = 1;

extern "C" {
    // `nfds_t` is an unsigned long on Linux.
    fn poll(descriptors: *mut PollDescriptor, count: c_ulong, milliseconds: c_int) -> c_int;
}

/// Waits until a descriptor is readable or has an error, or until this time; `None`: for ever.
/// Signal handlers run meanwhile, and do not end it.
pub(crate) fn wait_for(descriptor: c_int, end: Option<Instant>) -> io::Result<()> {
    loop {
        let milliseconds =
            end.map_or(-1, |end| ceil_milliseconds(end.saturating_duration_since(Instant::now())));
        let mut watched = PollDescriptor { descriptor, events: POLLIN, returned: 0 };
        // SAFETY: The pointer is to one descriptor, which exists until the call returns.
        let ready = unsafe { poll(&mut watched, 1, milliseconds) };
        if ready >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Rounds up, so that a short wait does not become a busy loop. Waits of weeks end earlier.
fn ceil_milliseconds(duration: Duration) -> c_int {
    let milliseconds = (duration.as_nanos() + 999_999) / 1_000_000;
    c_int::try_from(milliseconds).unwrap_or(c_int::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding() {
        for (nanoseconds, milliseconds) in [(0, 0), (1, 1), (1_000_000, 1), (1_000_001, 2)] {
            assert_eq!(ceil_milliseconds(Duration::from_nanos(nanoseconds)), milliseconds);
        }
        assert_eq!(ceil_milliseconds(Duration::MAX), c_int::MAX);
    }
}
