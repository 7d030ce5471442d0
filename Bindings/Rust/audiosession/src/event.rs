//! Events of a session.

use audiosession_sys as sys;

use crate::text;
use crate::{Command, RepeatMode};

/// What has happened. Events are in the order of the arbiter's decisions.
///
/// `rule` is the rule that applied, such as `INT-3`, and `by` the number of the session that
/// caused it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Pause: the gate has faded the session out.
    #[non_exhaustive]
    InterruptionBegan {
        /// The reason, as the protocol names it.
        reason: String,
        /// The rule that applied.
        rule: Option<String>,
        /// The session that caused it.
        by: Option<u64>,
    },
    /// The interruption is over.
    #[non_exhaustive]
    InterruptionEnded {
        /// Whether the program should activate the session again and resume.
        should_resume: bool,
        /// The rule that applied.
        rule: Option<String>,
        /// The session that caused it.
        by: Option<u64>,
    },
    /// Whether the program should silence its secondary audio, such as a game's music, has
    /// changed.
    #[non_exhaustive]
    SilenceHint {
        /// Whether it should.
        should_silence: bool,
        /// The rule that applied.
        rule: Option<String>,
        /// The session that caused it.
        by: Option<u64>,
    },
    /// The session plays to, or takes input from, other ports.
    #[non_exhaustive]
    RouteChanged {
        /// The reason, as the protocol names it, such as `newDeviceAvailable`.
        reason: String,
        /// The rule that applied.
        rule: Option<String>,
        /// The session that caused it.
        by: Option<u64>,
    },
    /// The device that played is gone: pause before the sound continues elsewhere.
    #[non_exhaustive]
    OutputDisconnected {
        /// The rule that applied.
        rule: Option<String>,
    },
    /// The system volume has changed. The gate applies it.
    VolumeChanged {
        /// The volume, 0…1.
        volume: f64,
    },
    /// The input of the program was silenced or is no longer.
    InputMuteChanged {
        /// Whether it is silenced.
        is_muted: bool,
    },
    /// The output of the session was silenced or is no longer.
    OutputMuteChanged {
        /// Whether it is silenced.
        is_muted: bool,
    },
    /// The arbiter has deactivated the session, for example because it was suspended, or has
    /// ended and the next one does not know it: activate it again.
    #[non_exhaustive]
    Deactivated {
        /// The rule that applied.
        rule: Option<String>,
        /// The session that caused it.
        by: Option<u64>,
    },
    /// The session was waiting
    /// ([`Session::request_activation`](crate::Session::request_activation)), and is active now.
    #[non_exhaustive]
    Activated {
        /// The rule that applied.
        rule: Option<String>,
        /// The session that caused it.
        by: Option<u64>,
    },
    /// The arbiter has ended. The gate keeps the last decision until the next one is connected.
    ArbiterLost,
    /// Another arbiter has restored the session.
    ArbiterReturned,
    /// A remote command has arrived
    /// ([`Session::set_remote_commands`](crate::Session::set_remote_commands)).
    RemoteCommand(RemoteCommand),
    /// A remote command has arrived that this version of the crate does not know, or whose value
    /// it does not know. The number is its `asession_command_t`.
    UnknownRemoteCommand(u32),
    /// Ask the user whether the program may record, then call
    /// [`Session::answer_record_permission`](crate::Session::answer_record_permission).
    RecordPermissionNeeded,
    /// The user has answered, or changed the answer: see
    /// [`Session::record_permission`](crate::Session::record_permission).
    RecordPermissionChanged,
    /// The inputs that can be preferred are others now
    /// ([`Session::available_inputs`](crate::Session::available_inputs)).
    AvailableInputsChanged,
    /// An event that this version of the crate does not know. The number is its
    /// `asession_event_kind_t`.
    Other(u32),
}

/// A remote command with its value ([`Event::RemoteCommand`]).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RemoteCommand {
    /// Play.
    Play,
    /// Pause.
    Pause,
    /// Pause, or play if paused.
    TogglePlayPause,
    /// Stop.
    Stop,
    /// Play the next track.
    NextTrack,
    /// Play the previous track.
    PreviousTrack,
    /// Skip so many seconds; backward if negative.
    Skip(f64),
    /// Go to this position in seconds.
    Seek(f64),
    /// Set the speed; 1 is normal speed.
    SetRate(f64),
    /// Play in random order, or not.
    SetShuffled(bool),
    /// Repeat the track, the list, or nothing.
    SetRepeatMode(RepeatMode),
    /// Show the program's window.
    Raise,
    /// Quit the program.
    Quit,
}

impl RemoteCommand {
    /// Returns `None` for a command or value that this crate does not know.
    fn from_c(event: &sys::asession_event_t) -> Option<Self> {
        Some(match Command::from_c(event.command)? {
            Command::Play => Self::Play,
            Command::Pause => Self::Pause,
            Command::TogglePlayPause => Self::TogglePlayPause,
            Command::Stop => Self::Stop,
            Command::NextTrack => Self::NextTrack,
            Command::PreviousTrack => Self::PreviousTrack,
            Command::Skip => Self::Skip(event.value),
            Command::Seek => Self::Seek(event.value),
            Command::SetRate => Self::SetRate(event.value),
            Command::SetShuffled => Self::SetShuffled(event.flag),
            // The conversion of a float saturates, and makes 0 of NaN.
            Command::SetRepeatMode => Self::SetRepeatMode(RepeatMode::from_c(event.value as sys::c_uint)?),
            Command::Raise => Self::Raise,
            Command::Quit => Self::Quit,
        })
    }
}

impl Event {
    pub(crate) fn from_c(event: &sys::asession_event_t) -> Self {
        let reason = || text::from_array(&event.reason);
        let rule = || text::from_optional_array(&event.rule);
        let by = Some(event.by).filter(|&by| by != 0);
        match event.kind {
            sys::ASESSION_EVENT_INTERRUPTION_BEGAN => {
                Self::InterruptionBegan { reason: reason(), rule: rule(), by }
            }
            sys::ASESSION_EVENT_INTERRUPTION_ENDED => {
                Self::InterruptionEnded { should_resume: event.flag, rule: rule(), by }
            }
            sys::ASESSION_EVENT_SILENCE_HINT => {
                Self::SilenceHint { should_silence: event.flag, rule: rule(), by }
            }
            sys::ASESSION_EVENT_ROUTE_CHANGED => Self::RouteChanged { reason: reason(), rule: rule(), by },
            sys::ASESSION_EVENT_OUTPUT_DISCONNECTED => Self::OutputDisconnected { rule: rule() },
            sys::ASESSION_EVENT_VOLUME_CHANGED => Self::VolumeChanged { volume: event.value },
            sys::ASESSION_EVENT_INPUT_MUTE_CHANGED => Self::InputMuteChanged { is_muted: event.flag },
            sys::ASESSION_EVENT_OUTPUT_MUTE_CHANGED => Self::OutputMuteChanged { is_muted: event.flag },
            sys::ASESSION_EVENT_DEACTIVATED => Self::Deactivated { rule: rule(), by },
            sys::ASESSION_EVENT_ACTIVATED => Self::Activated { rule: rule(), by },
            sys::ASESSION_EVENT_ARBITER_LOST => Self::ArbiterLost,
            sys::ASESSION_EVENT_ARBITER_RETURNED => Self::ArbiterReturned,
            sys::ASESSION_EVENT_REMOTE_COMMAND => RemoteCommand::from_c(event)
                .map_or(Self::UnknownRemoteCommand(event.command), Self::RemoteCommand),
            sys::ASESSION_EVENT_RECORD_PERMISSION_NEEDED => Self::RecordPermissionNeeded,
            sys::ASESSION_EVENT_RECORD_PERMISSION_CHANGED => Self::RecordPermissionChanged,
            sys::ASESSION_EVENT_AVAILABLE_INPUTS_CHANGED => Self::AvailableInputsChanged,
            kind => Self::Other(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: u32, command: u32, value: f64) -> Event {
        Event::from_c(&sys::asession_event_t {
            kind,
            flag: true,
            value,
            // No null character, and no UTF-8.
            reason: [-1i8 as sys::c_char; 32],
            rule: [b'A' as sys::c_char; 16],
            by: 7,
            command,
        })
    }

    #[test]
    fn known_kinds() {
        for kind in sys::ASESSION_EVENT_INTERRUPTION_BEGAN..=sys::ASESSION_EVENT_OUTPUT_MUTE_CHANGED {
            assert!(!matches!(event(kind, 0, 0.0), Event::Other(_)), "the kind {kind}");
        }
        let expected =
            Event::InterruptionEnded { should_resume: true, rule: Some("A".repeat(16)), by: Some(7) };
        assert_eq!(event(sys::ASESSION_EVENT_INTERRUPTION_ENDED, 0, 0.0), expected);
    }

    #[test]
    fn unknown_kinds() {
        for kind in [0, 17, 1_000_000, u32::MAX] {
            assert_eq!(event(kind, u32::MAX, f64::NAN), Event::Other(kind));
        }
    }

    #[test]
    fn commands() {
        let kind = sys::ASESSION_EVENT_REMOTE_COMMAND;
        for command in sys::ASESSION_COMMAND_PLAY..=sys::ASESSION_COMMAND_QUIT {
            assert!(matches!(event(kind, command, 1.0), Event::RemoteCommand(_)), "the command {command}");
        }
        let repeat = |value| event(kind, sys::ASESSION_COMMAND_SET_REPEAT_MODE, value);
        assert_eq!(repeat(2.0), Event::RemoteCommand(RemoteCommand::SetRepeatMode(RepeatMode::All)));
        for value in [3.0, 1e300, f64::INFINITY] {
            let expected = Event::UnknownRemoteCommand(sys::ASESSION_COMMAND_SET_REPEAT_MODE);
            assert_eq!(repeat(value), expected);
        }
        for command in [13, u32::MAX] {
            assert_eq!(event(kind, command, 0.0), Event::UnknownRemoteCommand(command));
        }
    }
}
