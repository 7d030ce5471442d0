//! The values of requests and states.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use audiosession_sys as sys;

/// Defines an enumeration whose values are constants of the C library.
macro_rules! enumeration {
    ($(#[$attribute:meta])* $name:ident { $($(#[$documentation:meta])* $member:ident = $constant:ident,)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$documentation])* $member,)*
        }

        #[allow(dead_code)] // some go only to the library, some come only from it
        impl $name {
            pub(crate) fn to_c(self) -> sys::c_uint {
                match self {
                    $(Self::$member => sys::$constant,)*
                }
            }

            /// Returns `None` for a value that this crate does not know.
            pub(crate) fn from_c(value: sys::c_uint) -> Option<Self> {
                match value {
                    $(sys::$constant => Some(Self::$member),)*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use enumeration;

enumeration! {
    /// What the program's sound is to the user.
    Category {
        /// Background sound that mixes with others, such as a game's; silenced by the silent
        /// switch.
        Ambient = ASESSION_AMBIENT,
        /// The same, and interrupts others. Each session begins with it.
        SoloAmbient = ASESSION_SOLO_AMBIENT,
        /// Sound that the program is about, such as music: it plays in the background, too.
        Playback = ASESSION_PLAYBACK,
        /// Only input.
        Record = ASESSION_RECORD,
        /// Input and output, such as a call.
        PlayAndRecord = ASESSION_PLAY_AND_RECORD,
        /// Several outputs with different sound.
        MultiRoute = ASESSION_MULTI_ROUTE,
        /// Offline rendering: neither input nor output (CAT-5).
        AudioProcessing = ASESSION_AUDIO_PROCESSING,
    }
}

enumeration! {
    /// The use of the category.
    #[derive(Default)]
    Mode {
        /// No particular use.
        #[default]
        Default = ASESSION_MODE_DEFAULT,
        /// A conversation by voice.
        VoiceChat = ASESSION_VOICE_CHAT,
        /// A conversation by video.
        VideoChat = ASESSION_VIDEO_CHAT,
        /// The conversation of players of a game.
        GameChat = ASESSION_GAME_CHAT,
        /// The recording of a video.
        VideoRecording = ASESSION_VIDEO_RECORDING,
        /// Measurements: the signal is processed as little as possible.
        Measurement = ASESSION_MEASUREMENT,
        /// A film.
        MoviePlayback = ASESSION_MOVIE_PLAYBACK,
        /// Continuous speech, such as a podcast: it pauses for other speech instead of being
        /// lowered.
        SpokenAudio = ASESSION_SPOKEN_AUDIO,
        /// A short text that is read out, such as a navigation prompt.
        VoicePrompt = ASESSION_VOICE_PROMPT,
        /// Short videos, one after another.
        ShortFormVideo = ASESSION_SHORT_FORM_VIDEO,
        /// Two routes at the same time.
        DualRoute = ASESSION_DUAL_ROUTE,
    }
}

enumeration! {
    /// With which other sessions a session shares its route.
    #[derive(Default)]
    RouteSharingPolicy {
        /// The route of its own.
        #[default]
        Default = ASESSION_ROUTE_SHARING_DEFAULT,
        /// One route with all long-form audio, such as music and podcasts (ROUTE-10).
        LongFormAudio = ASESSION_ROUTE_SHARING_LONG_FORM_AUDIO,
        /// One route with all long-form video.
        LongFormVideo = ASESSION_ROUTE_SHARING_LONG_FORM_VIDEO,
    }
}

enumeration! {
    /// What a program may prefer of the audio hardware.
    Preference {
        /// In Hz.
        SampleRate = ASESSION_SAMPLE_RATE,
        /// In seconds.
        IoBufferDuration = ASESSION_IO_BUFFER_DURATION,
        /// How many channels of input.
        InputChannels = ASESSION_INPUT_CHANNELS,
        /// How many channels of output.
        OutputChannels = ASESSION_OUTPUT_CHANNELS,
    }
}

enumeration! {
    /// Whether a session is active.
    #[derive(Default)]
    Activity {
        /// It is not active, or has an activity that this crate does not know.
        #[default]
        Inactive = ASESSION_INACTIVE,
        /// It is active.
        Active = ASESSION_ACTIVE,
        /// Another session, such as a call, has interrupted it.
        Interrupted = ASESSION_INTERRUPTED,
    }
}

enumeration! {
    /// Whether a program may record.
    Permission {
        /// The user has not been asked. Input is silent.
        Undetermined = ASESSION_PERMISSION_UNDETERMINED,
        /// Input is silent.
        Denied = ASESSION_PERMISSION_DENIED,
        /// The program may record.
        Granted = ASESSION_PERMISSION_GRANTED,
    }
}

enumeration! {
    /// A remote command that a session can handle: a key of a headset, a button of a panel.
    ///
    /// [`RemoteCommand`](crate::RemoteCommand) is one that has arrived, with its value.
    Command {
        /// Play.
        Play = ASESSION_COMMAND_PLAY,
        /// Pause.
        Pause = ASESSION_COMMAND_PAUSE,
        /// Pause, or play if paused.
        TogglePlayPause = ASESSION_COMMAND_TOGGLE_PLAY_PAUSE,
        /// Stop.
        Stop = ASESSION_COMMAND_STOP,
        /// Play the next track.
        NextTrack = ASESSION_COMMAND_NEXT_TRACK,
        /// Play the previous track.
        PreviousTrack = ASESSION_COMMAND_PREVIOUS_TRACK,
        /// Skip so many seconds.
        Skip = ASESSION_COMMAND_SKIP,
        /// Go to a position.
        Seek = ASESSION_COMMAND_SEEK,
        /// Set the speed.
        SetRate = ASESSION_COMMAND_SET_RATE,
        /// Play in random order, or not.
        SetShuffled = ASESSION_COMMAND_SET_SHUFFLED,
        /// Repeat the track, the list, or nothing.
        SetRepeatMode = ASESSION_COMMAND_SET_REPEAT_MODE,
        /// Show the program's window.
        Raise = ASESSION_COMMAND_RAISE,
        /// Quit the program.
        Quit = ASESSION_COMMAND_QUIT,
    }
}

enumeration! {
    /// Whether a program plays, for lock screens and panels.
    #[derive(Default)]
    PlaybackState {
        /// It is stopped.
        #[default]
        Stopped = ASESSION_PLAYBACK_STOPPED,
        /// It plays.
        Playing = ASESSION_PLAYBACK_PLAYING,
        /// It is paused.
        Paused = ASESSION_PLAYBACK_PAUSED,
    }
}

enumeration! {
    /// What is repeated.
    #[derive(Default)]
    RepeatMode {
        /// Nothing.
        #[default]
        Off = ASESSION_REPEAT_OFF,
        /// The track.
        One = ASESSION_REPEAT_ONE,
        /// The list.
        All = ASESSION_REPEAT_ALL,
    }
}

/// Options of a category, which `|` combines.
///
/// ```
/// use audiosession::Options;
///
/// let options = Options::DUCK_OTHERS | Options::ALLOW_BLUETOOTH_A2DP;
/// assert!(options.contains(Options::DUCK_OTHERS));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Options(sys::c_uint);

impl Options {
    /// None.
    pub const NONE: Self = Self(0);
    /// Mixes with the sound of others instead of interrupting it.
    pub const MIX_WITH_OTHERS: Self = Self(sys::ASESSION_MIX_WITH_OTHERS);
    /// Lowers the sound of others; also mixes with it.
    pub const DUCK_OTHERS: Self = Self(sys::ASESSION_DUCK_OTHERS);
    /// Allows hands-free Bluetooth devices.
    pub const ALLOW_BLUETOOTH_HFP: Self = Self(sys::ASESSION_ALLOW_BLUETOOTH_HFP);
    /// Plays to the speaker instead of the receiver.
    pub const DEFAULT_TO_SPEAKER: Self = Self(sys::ASESSION_DEFAULT_TO_SPEAKER);
    /// Interrupts spoken audio, and mixes with other sound; includes
    /// [`MIX_WITH_OTHERS`](Self::MIX_WITH_OTHERS).
    pub const INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS: Self =
        Self(sys::ASESSION_INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS);
    /// Allows Bluetooth devices that only play.
    pub const ALLOW_BLUETOOTH_A2DP: Self = Self(sys::ASESSION_ALLOW_BLUETOOTH_A2DP);
    /// Allows AirPlay devices.
    pub const ALLOW_AIR_PLAY: Self = Self(sys::ASESSION_ALLOW_AIR_PLAY);
    /// Is not interrupted when the microphone is muted in hardware.
    pub const OVERRIDE_MUTED_MICROPHONE_INTERRUPTION: Self =
        Self(sys::ASESSION_OVERRIDE_MUTED_MICROPHONE_INTERRUPTION);
    /// Takes input from afar.
    pub const FAR_FIELD_INPUT: Self = Self(sys::ASESSION_FAR_FIELD_INPUT);
    /// Records from Bluetooth devices in high quality.
    pub const BLUETOOTH_HIGH_QUALITY_RECORDING: Self = Self(sys::ASESSION_BLUETOOTH_HIGH_QUALITY_RECORDING);

    const NAMED: [(Self, &'static str); 10] = [
        // One that includes another comes first.
        (Self::INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS, "INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS"),
        (Self::MIX_WITH_OTHERS, "MIX_WITH_OTHERS"),
        (Self::DUCK_OTHERS, "DUCK_OTHERS"),
        (Self::ALLOW_BLUETOOTH_HFP, "ALLOW_BLUETOOTH_HFP"),
        (Self::DEFAULT_TO_SPEAKER, "DEFAULT_TO_SPEAKER"),
        (Self::ALLOW_BLUETOOTH_A2DP, "ALLOW_BLUETOOTH_A2DP"),
        (Self::ALLOW_AIR_PLAY, "ALLOW_AIR_PLAY"),
        (Self::OVERRIDE_MUTED_MICROPHONE_INTERRUPTION, "OVERRIDE_MUTED_MICROPHONE_INTERRUPTION"),
        (Self::FAR_FIELD_INPUT, "FAR_FIELD_INPUT"),
        (Self::BLUETOOTH_HIGH_QUALITY_RECORDING, "BLUETOOTH_HIGH_QUALITY_RECORDING"),
    ];

    /// The bits, with the values that they have in the C library and in AVAudioSession.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether it contains all of these options.
    #[must_use]
    pub const fn contains(self, options: Self) -> bool {
        self.0 & options.0 == options.0
    }

    /// The options of both; `|` in constants.
    #[must_use]
    pub const fn union(self, options: Self) -> Self {
        Self(self.0 | options.0)
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Options {
    type Output = Self;

    fn bitor(self, options: Self) -> Self {
        self.union(options)
    }
}

impl BitOrAssign for Options {
    fn bitor_assign(&mut self, options: Self) {
        *self = self.union(options);
    }
}

impl FromIterator<Options> for Options {
    fn from_iter<I: IntoIterator<Item = Options>>(options: I) -> Self {
        options.into_iter().fold(Self::NONE, Self::union)
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return formatter.write_str("NONE");
        }
        let mut rest = *self;
        let mut separator = "";
        for (option, name) in Self::NAMED {
            if rest.contains(option) {
                write!(formatter, "{separator}{name}")?;
                separator = " | ";
                rest.0 &= !option.0;
            }
        }
        Ok(())
    }
}

/// What the arbiter says of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// Whether the session is active.
    pub activity: Activity,
    /// Whether the arbiter is connected. Otherwise the rest is as it was.
    pub is_connected: bool,
    /// Whether other programs play.
    pub is_other_audio_playing: bool,
    /// Whether the program should silence its secondary audio, such as a game's music.
    pub secondary_audio_should_be_silenced: bool,
    /// Whether there is an input.
    pub is_input_available: bool,
    /// A call is active.
    pub is_in_call: bool,
    /// The system volume, 0…1, which the gate applies.
    pub volume: f64,
}

impl State {
    pub(crate) fn from_c(state: &sys::asession_state_t) -> Self {
        Self {
            activity: Activity::from_c(state.activity).unwrap_or_default(),
            is_connected: state.is_connected,
            is_other_audio_playing: state.is_other_audio_playing,
            secondary_audio_should_be_silenced: state.secondary_audio_should_be_silenced,
            is_input_available: state.is_input_available,
            is_in_call: state.is_in_call,
            volume: state.volume,
        }
    }
}

/// A port of an audio device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Port {
    /// Identifies the port, also after the next start of the computer.
    pub uid: String,
    /// What the device is called, for people.
    pub name: String,
    /// What it is, as the protocol names it: `headphones`, `builtInSpeaker`, `usbAudio` …
    pub port_type: String,
    /// How many channels it has.
    pub channels: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        let mut options = Options::DUCK_OTHERS | Options::INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS;
        assert!(options.contains(Options::MIX_WITH_OTHERS) && !options.contains(Options::FAR_FIELD_INPUT));
        assert_eq!(format!("{options:?}"), "INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS | DUCK_OTHERS");
        options |= Options::FAR_FIELD_INPUT;
        assert_eq!(options.bits(), 0x40013);
        assert_eq!(format!("{:?}", Options::default()), "NONE");
        assert_eq!(Options::NAMED.iter().map(|&(option, _)| option).collect::<Options>().bits(), 0xC00FF);
    }

    #[test]
    fn unknown_values() {
        assert_eq!(Activity::from_c(99).unwrap_or_default(), Activity::Inactive);
        assert_eq!(RepeatMode::from_c(sys::c_uint::MAX), None);
        assert_eq!(Category::from_c(Category::AudioProcessing.to_c()), Some(Category::AudioProcessing));
    }
}
