//! Audio sessions for Linux: a program states what it plays, is lowered while others speak,
//! pauses while a call rings, and learns when it may resume.
//!
//! ```no_run
//! # #[cfg(feature = "std")]
//! use audiosession::{Category, Event, Mode, Options, Session};
//!
//! # #[cfg(not(feature = "std"))]
//! # fn main() {}
//! # #[cfg(feature = "std")]
//! # fn main() -> Result<(), audiosession::Error> {
//! let mut session = Session::open()?;
//! session.set_category(Category::Playback, Mode::Default, Options::NONE)?;
//! session.activate()?;
//! session.set_playing(true)?;
//! while let Some(event) = session.wait(None)? {
//!     match event {
//!         Event::InterruptionBegan { .. } => println!("paused"),
//!         Event::InterruptionEnded { should_resume: true, .. } | Event::Deactivated { .. } => {
//!             match session.activate() {
//!                 Ok(()) => println!("resumed"),
//!                 Err(error) => eprintln!("remains paused: {error}"), // a call, for example
//!             }
//!         }
//!         _ => {}
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A [`Session`] belongs to the thread that handles events. Its [`Gate`] belongs to the audio
//! thread, which applies it to the buffers of the program: it fades, lowers and applies the
//! system volume. A program that should also run without the service opens its session by
//! [`Session::open_or_detached`].
//!
//! The arbiter, `audiosessiond`, decides for all programs of the user. Opening a session starts
//! it if it is not running. The crate calls libaudiosession, which needs no thread. "Rules" such
//! as `INT-3`, which errors and events name, are those of the folder `Documentation/Rules` of
//! swift-audio-session.
//!
//! # Features
//!
//! `std`, on by default. Without it, the crate is `no_std` and has only the gate
//! ([`Gate::from_raw`]), for plug-ins and engines whose host owns the session.

#![cfg_attr(not(feature = "std"), no_std)]
// The documentation of the gate refers to sessions.
#![cfg_attr(not(feature = "std"), allow(rustdoc::broken_intra_doc_links))]
#![warn(missing_docs, missing_debug_implementations, unsafe_op_in_unsafe_fn)]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![warn(clippy::undocumented_unsafe_blocks)]

mod gate;
pub use gate::{Gate, GateState};

/// The declarations of the C library.
pub use audiosession_sys as sys;

#[cfg(feature = "std")]
mod error;
#[cfg(feature = "std")]
mod event;
#[cfg(feature = "std")]
mod handle;
#[cfg(feature = "std")]
mod now_playing;
#[cfg(feature = "std")]
mod poll;
#[cfg(feature = "std")]
mod session;
#[cfg(feature = "std")]
mod text;
#[cfg(feature = "std")]
mod values;
#[cfg(feature = "std")]
mod web;

#[cfg(feature = "std")]
pub use error::{Error, ErrorKind};
#[cfg(feature = "std")]
pub use event::{Event, RemoteCommand};
#[cfg(feature = "std")]
pub use now_playing::NowPlaying;
#[cfg(feature = "std")]
pub use session::{Events, Session};
#[cfg(feature = "std")]
pub use values::{
    Activity, Category, Command, Mode, Options, Permission, PlaybackState, Port, Preference, RepeatMode,
    RouteSharingPolicy, State,
};
#[cfg(feature = "std")]
pub use web::{WebElements, WebType};

/// Returns the version of libaudiosession that the program runs with, such as "0.2.0".
#[cfg(feature = "std")]
#[must_use]
pub fn library_version() -> &'static str {
    // SAFETY: The function takes nothing, and returns a constant text.
    web::static_text(unsafe { sys::asession_version() })
}

/// A session is used by one thread at a time.
///
/// ```compile_fail
/// fn share<T: Sync>() {}
/// share::<audiosession::Session>();
/// ```
///
/// So is a gate.
///
/// ```compile_fail
/// fn share<T: Sync>() {}
/// share::<audiosession::Gate>();
/// ```
///
/// Both can be sent.
///
/// ```
/// fn send<T: Send>() {}
/// send::<(audiosession::Session, audiosession::Gate)>();
/// ```
#[cfg(all(doctest, feature = "std"))]
struct ThreadsOfTypes;
