//! The gate, which the audio thread applies to its buffers.

use core::fmt;

use audiosession_sys as sys;

#[cfg(feature = "std")]
use crate::handle::Handle;
#[cfg(feature = "std")]
use std::sync::Arc;

/// The gate of a session, for the audio thread.
///
/// It fades the session out while it is interrupted, lowers it while another one speaks, and
/// applies the system volume, in ramps that have no step. It is not a noise gate. While the
/// session is paused and its fade-out is over, it is suspended: its sources should not advance,
/// so that they resume with the frame after the last one of the fade.
///
/// No method blocks, allocates or makes a system call. A gate can be sent to the audio thread,
/// and is used by one thread at a time, while another one uses the [`Session`](crate::Session):
///
/// ```no_run
/// # #[cfg(feature = "std")] {
/// # let mut session = audiosession::Session::open_or_detached().unwrap();
/// # fn render(frames: usize, left: &mut [f32], right: &mut [f32]) {}
/// let mut gate = session.gate().unwrap(); // `None` while the gate of a session is in use
/// gate.set_sample_rate(48_000);
/// let mut callback = move |left: &mut [f32], right: &mut [f32]| {
///     let frames = gate.begin(left.len() as u32) as usize; // fewer, or none, while paused
///     render(frames, left, right);
///     gate.apply([left, right]);
/// };
/// # }
/// ```
///
/// Buffers of **interleaved** samples are multiplied by the gain of each frame, which the gate
/// computes from a buffer of ones, as long as the longest buffer:
///
/// ```no_run
/// # fn callback(mut gate: audiosession::Gate, gains: &mut [f32], interleaved: &mut [f32]) {
/// let gains = &mut gains[..interleaved.len() / 2]; // one for each frame of this cycle
/// gains.fill(1.0);
/// gate.apply([&mut *gains]);
/// for (frame, gain) in interleaved.chunks_exact_mut(2).zip(gains.iter()) {
///     for sample in frame {
///         // A closed gate also stops NaN and infinity.
///         *sample = if *gain == 0.0 { 0.0 } else { *sample * gain };
///     }
/// }
/// # }
/// ```
///
/// A session that [lowers others only while it is
/// audible](crate::Session::set_ducks_only_while_audible) has to apply the gate to its samples
/// instead, since the gate measures them: copy them to buffers of one channel each and back.
///
/// # The end
///
/// A gate may outlive its session. Dropping the session ends it for other programs at once; the
/// gate fades out and remains closed. Memory is freed with the later one of both. Freeing makes
/// system calls: drop the gate on another thread than the audio thread, for example with the
/// stream of the audio library after that has stopped.
///
/// # Forks
///
/// A child process that was forked must not use the gates of its parent. It may drop them.
pub struct Gate {
    // May be null: a gate that is always open. The raw pointer makes the type neither `Send` nor
    // `Sync`.
    pointer: *mut sys::asession_gate_t,
    // Keeps the session's memory, which contains the gate; `None` for a gate by `from_raw`.
    #[cfg(feature = "std")]
    _handle: Option<Arc<Handle>>,
}

// SAFETY: The library lets one thread at a time use a gate, whichever it is, while others use the
// session. The methods take `&mut self`, and there is one `Gate` for each C gate: `Session::gate`
// and the contract of `from_raw` guarantee that. `Handle` is `Send` and `Sync`.
unsafe impl Send for Gate {}

impl Gate {
    /// Wraps a gate of the C library, as `asession_gate` returns it. Null is a gate that is
    /// always open.
    ///
    /// # Safety
    ///
    /// The pointer is null, or one that `asession_gate` has returned. While this value exists,
    /// the session of the gate is not closed, and nothing else begins, applies or reads the gate.
    /// In a child process that was forked meanwhile, no method is called.
    #[must_use]
    pub unsafe fn from_raw(gate: *mut sys::asession_gate_t) -> Self {
        Self {
            pointer: gate,
            #[cfg(feature = "std")]
            _handle: None,
        }
    }

    /// Wraps the gate of a handle's session, which it keeps alive. The caller makes no second
    /// one.
    #[cfg(feature = "std")]
    pub(crate) fn of(handle: Arc<Handle>) -> Self {
        // SAFETY: The handle's session is valid, or null, which the function accepts.
        let pointer = unsafe { sys::asession_gate(handle.session()) };
        Self { pointer, _handle: Some(handle) }
    }

    /// Sets the sample rate of the buffers, in Hz, from 1 to 768,000; 48,000 initially. Other
    /// values are clamped. Ramps that run keep their number of frames.
    pub fn set_sample_rate(&mut self, sample_rate: u32) {
        // SAFETY: The gate is null or valid (`from_raw`, `of`), and used by this thread alone. In
        // a forked child process, the memory of the gate still exists.
        unsafe { sys::asession_gate_set_sample_rate(self.pointer, sample_rate.clamp(1, 768_000)) }
    }

    /// Returns how many of the next `nframes` frames the sources should render: `nframes`, 0
    /// while the session is suspended, or fewer if the fade-out ends earlier.
    ///
    /// Optional, once per cycle before [`apply`](Self::apply) with as many frames, which then
    /// applies the same grant.
    #[must_use = "the sources render so many frames"]
    pub fn begin(&mut self, nframes: u32) -> u32 {
        // SAFETY: As in `set_sample_rate`.
        unsafe { sys::asession_gate_begin(self.pointer, nframes) }
    }

    /// Applies the gate to the next frames, in place, once per cycle, with all channels of the
    /// session. Returns what [`begin`](Self::begin) returned, or would have returned.
    ///
    /// Frames beyond the end of a fade-out become 0. A gate that is open does not change a bit.
    /// The channels should have the same length; otherwise the shortest counts, and the rest of
    /// the others becomes 0, so that nothing passes around the gate. Without channels, it returns
    /// 0 and does nothing: the gate does not advance, and a preceding `begin` remains in effect.
    pub fn apply<const N: usize>(&mut self, mut channels: [&mut [f32]; N]) -> usize {
        let shortest = match channels.iter().map(|channel| channel.len()).min() {
            Some(shortest) => shortest,
            None => return 0,
        };
        let nframes = u32::try_from(shortest).unwrap_or(u32::MAX);
        for channel in &mut channels {
            if let Some(rest) = channel.get_mut(nframes as usize..) {
                rest.fill(0.0);
            }
        }
        let planes = channels.map(|channel| channel.as_mut_ptr());
        // SAFETY: Each of the N pointers is to at least `nframes` samples, which `channels`
        // borrows, so that they do not overlap, until this method returns. N fits: the array is
        // on the stack.
        unsafe { self.apply_raw(planes.as_ptr(), N as u32, nframes) as usize }
    }

    /// As [`apply`](Self::apply), for a number of channels that is known at run time.
    ///
    /// # Safety
    ///
    /// `planes` points to `nchannels` pointers, each to `nframes` samples that may be written,
    /// and that nothing else uses meanwhile. The samples of two channels do not overlap. `planes`
    /// is not used if `nchannels` is 0.
    pub unsafe fn apply_raw(&mut self, planes: *const *mut f32, nchannels: u32, nframes: u32) -> u32 {
        // SAFETY: The gate is as in `set_sample_rate`; the caller guarantees the rest.
        unsafe { sys::asession_gate_apply(self.pointer, planes, nchannels, nframes) }
    }

    /// Reads what the arbiter grants the session now, for engines that fade by themselves.
    #[must_use]
    pub fn read(&mut self) -> GateState {
        // SAFETY: As in `set_sample_rate`.
        let state = unsafe { sys::asession_gate_read(self.pointer) };
        GateState {
            is_paused: state.is_paused,
            is_muted: state.is_muted,
            is_input_granted: state.is_input_granted,
            attenuation: state.attenuation,
            volume: state.volume,
            fade_ms: state.fade_ms,
            duck_attack_ms: state.duck_attack_ms,
            duck_release_ms: state.duck_release_ms,
            volume_ramp_ms: state.volume_ramp_ms,
        }
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Gate").finish_non_exhaustive()
    }
}

/// What the arbiter grants a session now ([`Gate::read`]).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GateState {
    /// Fade out, then suspend the sources.
    pub is_paused: bool,
    /// Fade out while the sources continue.
    pub is_muted: bool,
    /// The session may use live input. Otherwise use zeros.
    pub is_input_granted: bool,
    /// Attenuation of the duck in decibels, 0 or more.
    pub attenuation: f32,
    /// The system volume, linear, 0…1.
    pub volume: f32,
    /// How long a fade to or from silence should take, in milliseconds.
    pub fade_ms: u32,
    /// How long it should take to reach a greater attenuation, in milliseconds.
    pub duck_attack_ms: u32,
    /// How long it should take to reach a lower attenuation, in milliseconds.
    pub duck_release_ms: u32,
    /// How long it should take to reach another volume, in milliseconds.
    pub volume_ramp_ms: u32,
}
