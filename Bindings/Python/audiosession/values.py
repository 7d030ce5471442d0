"""The values of requests, states and events. Their numbers are those of the C headers."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Category(enum.IntEnum):
    """What the program's sound is to the user."""

    AMBIENT = 0
    SOLO_AMBIENT = 1
    PLAYBACK = 2
    RECORD = 3
    PLAY_AND_RECORD = 4
    MULTI_ROUTE = 5
    #: Offline rendering: neither input nor output.
    AUDIO_PROCESSING = 6


class Mode(enum.IntEnum):
    """The use of the category."""

    DEFAULT = 0
    VOICE_CHAT = 1
    VIDEO_CHAT = 2
    GAME_CHAT = 3
    VIDEO_RECORDING = 4
    MEASUREMENT = 5
    MOVIE_PLAYBACK = 6
    SPOKEN_AUDIO = 7
    VOICE_PROMPT = 8
    SHORT_FORM_VIDEO = 9
    DUAL_ROUTE = 10


class Option(enum.IntFlag):
    """Options of the category, which can be combined by `|`."""

    NONE = 0
    MIX_WITH_OTHERS = 0x1
    DUCK_OTHERS = 0x2
    ALLOW_BLUETOOTH_HFP = 0x4
    DEFAULT_TO_SPEAKER = 0x8
    INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS = 0x11
    ALLOW_BLUETOOTH_A2DP = 0x20
    ALLOW_AIR_PLAY = 0x40
    OVERRIDE_MUTED_MICROPHONE_INTERRUPTION = 0x80
    FAR_FIELD_INPUT = 0x40000
    BLUETOOTH_HIGH_QUALITY_RECORDING = 0x80000


class RouteSharingPolicy(enum.IntEnum):
    """With which other sessions a session shares its route."""

    DEFAULT = 0
    #: All long-form audio, such as music and podcasts.
    LONG_FORM_AUDIO = 1
    LONG_FORM_VIDEO = 2


class Preference(enum.IntEnum):
    """What a program may prefer of the audio hardware."""

    #: In Hz.
    SAMPLE_RATE = 0
    #: In seconds.
    IO_BUFFER_DURATION = 1
    INPUT_CHANNELS = 2
    OUTPUT_CHANNELS = 3


class Activity(enum.IntEnum):
    """Whether a session is active."""

    INACTIVE = 0
    ACTIVE = 1
    INTERRUPTED = 2


@dataclass(frozen=True)
class State:
    """What the arbiter says of a session."""

    activity: Activity = Activity.INACTIVE
    #: Whether the arbiter is connected. Otherwise the rest is as it was.
    is_connected: bool = False
    #: Whether other programs play.
    is_other_audio_playing: bool = False
    #: Whether the program should silence its secondary audio, such as a game's music.
    secondary_audio_should_be_silenced: bool = False
    is_input_available: bool = False
    #: A call is active.
    is_in_call: bool = False
    #: The system volume, 0…1, which the gate applies.
    volume: float = 0.0


class PortList(enum.IntEnum):
    """The lists of ports that a session has."""

    ROUTE_INPUTS = 0
    ROUTE_OUTPUTS = 1
    AVAILABLE_INPUTS = 2


@dataclass(frozen=True)
class Port:
    """A port of an audio device."""

    #: Identifies the port, also after the next start of the computer.
    uid: str
    #: What the device is called, for people.
    name: str
    #: What it is, as the protocol names it: "headphones", "builtInSpeaker", "usbAudio" …
    type: str
    channels: int


@dataclass(frozen=True)
class Route:
    """The ports that a session takes input from and plays to."""

    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()


class Permission(enum.IntEnum):
    """Whether a program may record."""

    #: The user has not been asked. Input is silent.
    UNDETERMINED = 0
    #: Input is silent.
    DENIED = 1
    GRANTED = 2


class Command(enum.IntEnum):
    """A command of a remote control. In parentheses: what the event has."""

    PLAY = 0
    PAUSE = 1
    TOGGLE_PLAY_PAUSE = 2
    STOP = 3
    NEXT_TRACK = 4
    PREVIOUS_TRACK = 5
    #: (`value`: seconds, negative for backward)
    SKIP = 6
    #: (`value`: the position in seconds)
    SEEK = 7
    #: (`value`: 1 is normal speed)
    SET_RATE = 8
    #: (`flag`)
    SET_SHUFFLED = 9
    #: (`value`: a `RepeatMode`)
    SET_REPEAT_MODE = 10
    #: Show the program's window.
    RAISE = 11
    QUIT = 12


class PlaybackState(enum.IntEnum):
    """Whether a program plays, as it states itself."""

    STOPPED = 0
    PLAYING = 1
    PAUSED = 2


class RepeatMode(enum.IntEnum):
    """What follows a track."""

    OFF = 0
    #: The track again.
    ONE = 1
    #: After the last one, the first track of the list.
    ALL = 2


@dataclass(frozen=True)
class NowPlaying:
    """What a session plays, for lock screens and panels."""

    playback_state: PlaybackState
    #: Identifies the track among those of the program.
    track_identifier: str | None = None
    title: str | None = None
    artist: str | None = None
    album: str | None = None
    #: A URL, such as file:///home/user/cover.png.
    artwork_url: str | None = None
    #: Seconds; 0: unknown.
    duration: float = 0.0
    #: Seconds, at the time of the call. It advances by `rate` while playing.
    position: float = 0.0
    #: 1 is normal speed.
    rate: float = 1.0
    #: Published if the session handles `Command.SET_SHUFFLED`.
    is_shuffled: bool = False
    #: Published if the session handles `Command.SET_REPEAT_MODE`.
    repeat_mode: RepeatMode = RepeatMode.OFF


class EventKind(enum.IntEnum):
    """What has happened."""

    #: Pause: the gate has faded the session out. `reason`.
    INTERRUPTION_BEGAN = 1
    #: `flag`: whether the program should activate the session again and resume.
    INTERRUPTION_ENDED = 2
    #: `flag`: whether the program should silence its secondary audio.
    SILENCE_HINT = 3
    #: `reason`.
    ROUTE_CHANGED = 4
    #: The device that played is gone: pause before the sound continues elsewhere.
    OUTPUT_DISCONNECTED = 5
    #: `value`: 0…1.
    VOLUME_CHANGED = 6
    #: `flag`.
    INPUT_MUTE_CHANGED = 7
    #: The arbiter has deactivated the session: activate it again.
    DEACTIVATED = 8
    #: The arbiter has ended. The gate keeps the last decision until the next one is connected.
    ARBITER_LOST = 9
    #: Another arbiter has restored the session.
    ARBITER_RETURNED = 10
    #: The session was waiting (`request_activation`), and is active now.
    ACTIVATED = 11
    #: `command`, and for some commands `value` or `flag`.
    REMOTE_COMMAND = 12
    #: Ask the user, then call `answer_record_permission`.
    RECORD_PERMISSION_NEEDED = 13
    #: The user has answered or changed the answer: see `record_permission`.
    RECORD_PERMISSION_CHANGED = 14
    #: The inputs that can be preferred are others now.
    AVAILABLE_INPUTS_CHANGED = 15
    #: `flag`.
    OUTPUT_MUTE_CHANGED = 16


@dataclass(frozen=True)
class Event:
    """An event. Members that its kind does not mention are 0, False or empty."""

    #: An `int` for a kind that this package does not know.
    kind: EventKind | int
    flag: bool = False
    value: float = 0.0
    #: The reason, as the protocol names it, such as "newDeviceAvailable".
    reason: str = ""
    #: The rule that applied, such as "INT-3".
    rule: str = ""
    #: The session that caused it; 0: none.
    by: int = 0
    #: For REMOTE_COMMAND; otherwise None.
    command: Command | None = None

    @property
    def should_resume(self) -> bool:
        """Whether an interruption has ended and the program should activate the session again."""
        return self.kind == EventKind.INTERRUPTION_ENDED and self.flag


@dataclass(frozen=True)
class GateState:
    """What the arbiter grants a session now, for engines that fade by themselves."""

    #: Fade out, then suspend the sources.
    is_paused: bool
    #: Fade out while the sources continue.
    is_muted: bool
    #: The session may use live input. Otherwise use zeros.
    is_input_granted: bool
    #: Attenuation of the duck in decibels, 0 or more.
    attenuation: float
    #: The system volume, linear, 0…1.
    volume: float
    #: How long a fade to or from silence should take, in milliseconds.
    fade_ms: int
    #: The same for a greater and for a lower attenuation.
    duck_attack_ms: int
    duck_release_ms: int
    #: The same for another volume.
    volume_ramp_ms: int
