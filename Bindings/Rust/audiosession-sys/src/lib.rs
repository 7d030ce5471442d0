//! Declarations of libaudiosession: audio sessions for Linux.
//!
//! They are those of the C headers `audiosession/*.h`, which document each function, its thread
//! and its cost. Programs use the safe crate `audiosession`.
//!
//! Enumerations of C are integers with constants here: a newer library may return values that
//! this crate does not know.

#![no_std]
#![allow(non_camel_case_types)]

use core::ffi::c_void;
use core::marker::{PhantomData, PhantomPinned};

/// `char` of C, whose sign depends on the machine.
#[cfg(any(
    target_arch = "aarch64",
    target_arch = "arm",
    target_arch = "powerpc",
    target_arch = "powerpc64",
    target_arch = "riscv32",
    target_arch = "riscv64",
    target_arch = "s390x"
))]
pub type c_char = u8;
/// `char` of C, whose sign depends on the machine.
#[cfg(not(any(
    target_arch = "aarch64",
    target_arch = "arm",
    target_arch = "powerpc",
    target_arch = "powerpc64",
    target_arch = "riscv32",
    target_arch = "riscv64",
    target_arch = "s390x"
)))]
pub type c_char = i8;
/// `int` of C on all machines with Linux.
pub type c_int = i32;
/// `unsigned` of C, which is also the type of enumerations without negative constants.
pub type c_uint = u32;

/// Memory that only the library reads and writes.
#[repr(C)]
struct Opaque {
    _data: [u8; 0],
    _marker: PhantomData<(*mut c_void, PhantomPinned)>,
}

// ---- status.h ---------------------------------------------------------------------------------

/// A session.
#[repr(C)]
pub struct asession_t(Opaque);

pub type asession_status_t = c_uint;
pub const ASESSION_OK: asession_status_t = 0;
pub const ASESSION_BAD_ARGUMENT: asession_status_t = 1;
pub const ASESSION_NO_MEMORY: asession_status_t = 2;
pub const ASESSION_NO_ARBITER: asession_status_t = 3;
pub const ASESSION_LOST: asession_status_t = 4;
pub const ASESSION_REFUSED: asession_status_t = 5;
pub const ASESSION_FAILED: asession_status_t = 6;

/// Why a call has failed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct asession_error_t {
    pub status: asession_status_t,
    pub message: [c_char; 512],
    pub code: [c_char; 32],
    pub rule: [c_char; 16],
    pub by: u64,
}

// ---- audiosession.h ---------------------------------------------------------------------------

pub type asession_category_t = c_uint;
pub const ASESSION_AMBIENT: asession_category_t = 0;
pub const ASESSION_SOLO_AMBIENT: asession_category_t = 1;
pub const ASESSION_PLAYBACK: asession_category_t = 2;
pub const ASESSION_RECORD: asession_category_t = 3;
pub const ASESSION_PLAY_AND_RECORD: asession_category_t = 4;
pub const ASESSION_MULTI_ROUTE: asession_category_t = 5;
pub const ASESSION_AUDIO_PROCESSING: asession_category_t = 6;

pub type asession_mode_t = c_uint;
pub const ASESSION_MODE_DEFAULT: asession_mode_t = 0;
pub const ASESSION_VOICE_CHAT: asession_mode_t = 1;
pub const ASESSION_VIDEO_CHAT: asession_mode_t = 2;
pub const ASESSION_GAME_CHAT: asession_mode_t = 3;
pub const ASESSION_VIDEO_RECORDING: asession_mode_t = 4;
pub const ASESSION_MEASUREMENT: asession_mode_t = 5;
pub const ASESSION_MOVIE_PLAYBACK: asession_mode_t = 6;
pub const ASESSION_SPOKEN_AUDIO: asession_mode_t = 7;
pub const ASESSION_VOICE_PROMPT: asession_mode_t = 8;
pub const ASESSION_SHORT_FORM_VIDEO: asession_mode_t = 9;
pub const ASESSION_DUAL_ROUTE: asession_mode_t = 10;

pub const ASESSION_MIX_WITH_OTHERS: c_uint = 0x1;
pub const ASESSION_DUCK_OTHERS: c_uint = 0x2;
pub const ASESSION_ALLOW_BLUETOOTH_HFP: c_uint = 0x4;
pub const ASESSION_DEFAULT_TO_SPEAKER: c_uint = 0x8;
pub const ASESSION_INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS: c_uint = 0x11;
pub const ASESSION_ALLOW_BLUETOOTH_A2DP: c_uint = 0x20;
pub const ASESSION_ALLOW_AIR_PLAY: c_uint = 0x40;
pub const ASESSION_OVERRIDE_MUTED_MICROPHONE_INTERRUPTION: c_uint = 0x80;
pub const ASESSION_FAR_FIELD_INPUT: c_uint = 0x40000;
pub const ASESSION_BLUETOOTH_HIGH_QUALITY_RECORDING: c_uint = 0x80000;

pub type asession_route_sharing_policy_t = c_uint;
pub const ASESSION_ROUTE_SHARING_DEFAULT: asession_route_sharing_policy_t = 0;
pub const ASESSION_ROUTE_SHARING_LONG_FORM_AUDIO: asession_route_sharing_policy_t = 1;
pub const ASESSION_ROUTE_SHARING_LONG_FORM_VIDEO: asession_route_sharing_policy_t = 2;

pub type asession_preference_t = c_uint;
pub const ASESSION_SAMPLE_RATE: asession_preference_t = 0;
pub const ASESSION_IO_BUFFER_DURATION: asession_preference_t = 1;
pub const ASESSION_INPUT_CHANNELS: asession_preference_t = 2;
pub const ASESSION_OUTPUT_CHANNELS: asession_preference_t = 3;

pub type asession_activity_t = c_uint;
pub const ASESSION_INACTIVE: asession_activity_t = 0;
pub const ASESSION_ACTIVE: asession_activity_t = 1;
pub const ASESSION_INTERRUPTED: asession_activity_t = 2;

/// What the arbiter says of a session.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct asession_state_t {
    pub activity: asession_activity_t,
    pub is_connected: bool,
    pub is_other_audio_playing: bool,
    pub secondary_audio_should_be_silenced: bool,
    pub is_input_available: bool,
    pub is_in_call: bool,
    pub volume: f64,
}

pub type asession_event_kind_t = c_uint;
pub const ASESSION_EVENT_INTERRUPTION_BEGAN: asession_event_kind_t = 1;
pub const ASESSION_EVENT_INTERRUPTION_ENDED: asession_event_kind_t = 2;
pub const ASESSION_EVENT_SILENCE_HINT: asession_event_kind_t = 3;
pub const ASESSION_EVENT_ROUTE_CHANGED: asession_event_kind_t = 4;
pub const ASESSION_EVENT_OUTPUT_DISCONNECTED: asession_event_kind_t = 5;
pub const ASESSION_EVENT_VOLUME_CHANGED: asession_event_kind_t = 6;
pub const ASESSION_EVENT_INPUT_MUTE_CHANGED: asession_event_kind_t = 7;
pub const ASESSION_EVENT_DEACTIVATED: asession_event_kind_t = 8;
pub const ASESSION_EVENT_ARBITER_LOST: asession_event_kind_t = 9;
pub const ASESSION_EVENT_ARBITER_RETURNED: asession_event_kind_t = 10;
pub const ASESSION_EVENT_ACTIVATED: asession_event_kind_t = 11;
pub const ASESSION_EVENT_REMOTE_COMMAND: asession_event_kind_t = 12;
pub const ASESSION_EVENT_RECORD_PERMISSION_NEEDED: asession_event_kind_t = 13;
pub const ASESSION_EVENT_RECORD_PERMISSION_CHANGED: asession_event_kind_t = 14;
pub const ASESSION_EVENT_AVAILABLE_INPUTS_CHANGED: asession_event_kind_t = 15;
pub const ASESSION_EVENT_OUTPUT_MUTE_CHANGED: asession_event_kind_t = 16;

/// What has happened. Members that the kind does not mention are 0 or empty.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct asession_event_t {
    pub kind: asession_event_kind_t,
    pub flag: bool,
    pub value: f64,
    pub reason: [c_char; 32],
    pub rule: [c_char; 16],
    pub by: u64,
    pub command: asession_command_t,
}

// ---- gate.h -----------------------------------------------------------------------------------

/// The gate of a session.
#[repr(C)]
pub struct asession_gate_t(Opaque);

/// What the arbiter grants a session now.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct asession_gate_state_t {
    pub is_paused: bool,
    pub is_muted: bool,
    pub is_input_granted: bool,
    pub attenuation: f32,
    pub volume: f32,
    pub fade_ms: u32,
    pub duck_attack_ms: u32,
    pub duck_release_ms: u32,
    pub volume_ramp_ms: u32,
}

// ---- route.h ----------------------------------------------------------------------------------

pub type asession_ports_t = c_uint;
pub const ASESSION_ROUTE_INPUTS: asession_ports_t = 0;
pub const ASESSION_ROUTE_OUTPUTS: asession_ports_t = 1;
pub const ASESSION_AVAILABLE_INPUTS: asession_ports_t = 2;

/// A port of an audio device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct asession_port_t {
    pub uid: [c_char; 256],
    pub name: [c_char; 256],
    /// `type` of C, which is a keyword of Rust.
    pub type_: [c_char; 32],
    pub channels: u32,
}

pub type asession_permission_t = c_uint;
pub const ASESSION_PERMISSION_UNDETERMINED: asession_permission_t = 0;
pub const ASESSION_PERMISSION_DENIED: asession_permission_t = 1;
pub const ASESSION_PERMISSION_GRANTED: asession_permission_t = 2;

// ---- remote_control.h -------------------------------------------------------------------------

pub type asession_command_t = c_uint;
pub const ASESSION_COMMAND_PLAY: asession_command_t = 0;
pub const ASESSION_COMMAND_PAUSE: asession_command_t = 1;
pub const ASESSION_COMMAND_TOGGLE_PLAY_PAUSE: asession_command_t = 2;
pub const ASESSION_COMMAND_STOP: asession_command_t = 3;
pub const ASESSION_COMMAND_NEXT_TRACK: asession_command_t = 4;
pub const ASESSION_COMMAND_PREVIOUS_TRACK: asession_command_t = 5;
pub const ASESSION_COMMAND_SKIP: asession_command_t = 6;
pub const ASESSION_COMMAND_SEEK: asession_command_t = 7;
pub const ASESSION_COMMAND_SET_RATE: asession_command_t = 8;
pub const ASESSION_COMMAND_SET_SHUFFLED: asession_command_t = 9;
pub const ASESSION_COMMAND_SET_REPEAT_MODE: asession_command_t = 10;
pub const ASESSION_COMMAND_RAISE: asession_command_t = 11;
pub const ASESSION_COMMAND_QUIT: asession_command_t = 12;

pub type asession_playback_state_t = c_uint;
pub const ASESSION_PLAYBACK_STOPPED: asession_playback_state_t = 0;
pub const ASESSION_PLAYBACK_PLAYING: asession_playback_state_t = 1;
pub const ASESSION_PLAYBACK_PAUSED: asession_playback_state_t = 2;

pub type asession_repeat_mode_t = c_uint;
pub const ASESSION_REPEAT_OFF: asession_repeat_mode_t = 0;
pub const ASESSION_REPEAT_ONE: asession_repeat_mode_t = 1;
pub const ASESSION_REPEAT_ALL: asession_repeat_mode_t = 2;

/// What a session plays. Texts are in UTF-8; null: unknown.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct asession_now_playing_t {
    pub playback_state: asession_playback_state_t,
    pub track_identifier: *const c_char,
    pub title: *const c_char,
    pub artist: *const c_char,
    pub album: *const c_char,
    pub artwork_url: *const c_char,
    pub duration: f64,
    pub position: f64,
    pub rate: f64,
    pub is_shuffled: bool,
    pub repeat_mode: asession_repeat_mode_t,
}

// ---- web.h ------------------------------------------------------------------------------------

pub type asession_web_type_t = c_uint;
pub const ASESSION_WEB_AUTO: asession_web_type_t = 0;
pub const ASESSION_WEB_PLAYBACK: asession_web_type_t = 1;
pub const ASESSION_WEB_TRANSIENT: asession_web_type_t = 2;
pub const ASESSION_WEB_TRANSIENT_SOLO: asession_web_type_t = 3;
pub const ASESSION_WEB_AMBIENT: asession_web_type_t = 4;
pub const ASESSION_WEB_PLAY_AND_RECORD: asession_web_type_t = 5;
pub const ASESSION_WEB_PLAYS_MEDIA: c_uint = 0x1;
pub const ASESSION_WEB_CAPTURES: c_uint = 0x2;

// ---- Functions --------------------------------------------------------------------------------

#[rustfmt::skip] // one line for each function, which the tests read
extern "C" {
    pub fn asession_open(socket_path: *const c_char, error: *mut asession_error_t) -> *mut asession_t;
    pub fn asession_close(session: *mut asession_t);
    pub fn asession_end(session: *mut asession_t);
    pub fn asession_id(session: *const asession_t) -> u64;
    pub fn asession_set_category(session: *mut asession_t, category: asession_category_t, mode: asession_mode_t, options: c_uint, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_set_category_and_policy(session: *mut asession_t, category: asession_category_t, mode: asession_mode_t, policy: asession_route_sharing_policy_t, options: c_uint, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_prefer(session: *mut asession_t, preference: asession_preference_t, value: f64, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_activate(session: *mut asession_t, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_request_activation(session: *mut asession_t, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_deactivate(session: *mut asession_t, notify_others: bool, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_set_playing(session: *mut asession_t, is_playing: bool, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_set_paused(session: *mut asession_t, is_paused: bool, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_set_recording(session: *mut asession_t, is_recording: bool, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_set_output_muted(session: *mut asession_t, is_muted: bool, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_set_ducks_only_while_audible(session: *mut asession_t, is_on: bool, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_prefer_no_interruptions_from_system_alerts(session: *mut asession_t, prefers: bool, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_state(session: *const asession_t, state: *mut asession_state_t);
    pub fn asession_fd(session: *const asession_t) -> c_int;
    pub fn asession_dispatch(session: *mut asession_t);
    pub fn asession_next_event(session: *mut asession_t, event: *mut asession_event_t) -> bool;

    pub fn asession_gate(session: *mut asession_t) -> *mut asession_gate_t;
    pub fn asession_gate_set_sample_rate(gate: *mut asession_gate_t, sample_rate: u32);
    pub fn asession_gate_begin(gate: *mut asession_gate_t, nframes: u32) -> u32;
    pub fn asession_gate_apply(gate: *mut asession_gate_t, planes: *const *mut f32, nchannels: u32, nframes: u32) -> u32;
    pub fn asession_gate_read(gate: *mut asession_gate_t) -> asession_gate_state_t;

    pub fn asession_get_port(session: *const asession_t, list: asession_ports_t, index: u32, port: *mut asession_port_t) -> bool;
    pub fn asession_prefer_input(session: *mut asession_t, uid: *const c_char, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_override_output_to_speaker(session: *mut asession_t, overrides: bool, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_prefer_interruption_on_route_disconnect(session: *mut asession_t, prefers: bool, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_record_permission(session: *const asession_t) -> asession_permission_t;
    pub fn asession_answer_record_permission(session: *mut asession_t, is_granted: bool, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_set_input_muted(session: *mut asession_t, is_muted: bool, error: *mut asession_error_t) -> asession_status_t;

    pub fn asession_set_remote_commands(session: *mut asession_t, commands: c_uint, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_set_now_playing(session: *mut asession_t, now_playing: *const asession_now_playing_t, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_user_paused(session: *mut asession_t, error: *mut asession_error_t) -> asession_status_t;

    pub fn asession_version() -> *const c_char;

    pub fn asession_web_type_name(type_: asession_web_type_t) -> *const c_char;
    pub fn asession_web_type_from_name(name: *const c_char, type_: *mut asession_web_type_t) -> bool;
    pub fn asession_web_resolve_type(type_: asession_web_type_t, elements: c_uint) -> asession_web_type_t;
    pub fn asession_web_type_is_exclusive(type_: asession_web_type_t) -> bool;
    pub fn asession_set_web_type(session: *mut asession_t, type_: asession_web_type_t, elements: c_uint, error: *mut asession_error_t) -> asession_status_t;
    pub fn asession_web_state(session: *const asession_t) -> *const c_char;

    pub fn asession_why(session: *mut asession_t, error: *mut asession_error_t) -> *mut c_char;
    pub fn asession_request(session: *mut asession_t, json: *const c_char, error: *mut asession_error_t) -> *mut c_char;
    pub fn asession_free(text: *mut c_char);
}
