"""The C library: its structures and functions, as its headers declare them."""

from __future__ import annotations

import ctypes
import os
import pathlib
from ctypes import (
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_uint,
    c_uint32,
    c_uint64,
    c_void_p,
)

# Before 1.0, each minor version has its own interface.
SONAME = "libaudiosession.so.0.2"


class Error(Structure):
    _fields_ = [
        ("status", c_int),
        ("message", c_char * 512),
        ("code", c_char * 32),
        ("rule", c_char * 16),
        ("by", c_uint64),
    ]


class State(Structure):
    _fields_ = [
        ("activity", c_int),
        ("is_connected", c_bool),
        ("is_other_audio_playing", c_bool),
        ("secondary_audio_should_be_silenced", c_bool),
        ("is_input_available", c_bool),
        ("is_in_call", c_bool),
        ("volume", c_double),
    ]


class Event(Structure):
    _fields_ = [
        ("kind", c_int),
        ("flag", c_bool),
        ("value", c_double),
        ("reason", c_char * 32),
        ("rule", c_char * 16),
        ("by", c_uint64),
        ("command", c_int),
    ]


class Port(Structure):
    _fields_ = [
        ("uid", c_char * 256),
        ("name", c_char * 256),
        ("type", c_char * 32),
        ("channels", c_uint32),
    ]


class NowPlaying(Structure):
    _fields_ = [
        ("playback_state", c_int),
        ("track_identifier", c_char_p),
        ("title", c_char_p),
        ("artist", c_char_p),
        ("album", c_char_p),
        ("artwork_url", c_char_p),
        ("duration", c_double),
        ("position", c_double),
        ("rate", c_double),
        ("is_shuffled", c_bool),
        ("repeat_mode", c_int),
    ]


class GateState(Structure):
    _fields_ = [
        ("is_paused", c_bool),
        ("is_muted", c_bool),
        ("is_input_granted", c_bool),
        ("attenuation", c_float),
        ("volume", c_float),
        ("fade_ms", c_uint32),
        ("duck_attack_ms", c_uint32),
        ("duck_release_ms", c_uint32),
        ("volume_ramp_ms", c_uint32),
    ]


_SESSION = c_void_p
_GATE = c_void_p
_ERROR = POINTER(Error)

# Functions that may wait: other Python threads run meanwhile.
_WAITING = {
    "asession_open": (_SESSION, [c_char_p, _ERROR]),
    "asession_close": (None, [_SESSION]),
    "asession_end": (None, [_SESSION]),
    "asession_set_category": (c_int, [_SESSION, c_int, c_int, c_uint, _ERROR]),
    "asession_set_category_and_policy": (c_int, [_SESSION, c_int, c_int, c_int, c_uint, _ERROR]),
    "asession_set_web_type": (c_int, [_SESSION, c_int, c_uint, _ERROR]),
    "asession_prefer": (c_int, [_SESSION, c_int, c_double, _ERROR]),
    "asession_activate": (c_int, [_SESSION, _ERROR]),
    "asession_request_activation": (c_int, [_SESSION, _ERROR]),
    "asession_deactivate": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_set_playing": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_set_recording": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_set_paused": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_set_output_muted": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_set_input_muted": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_set_ducks_only_while_audible": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_prefer_no_interruptions_from_system_alerts": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_prefer_interruption_on_route_disconnect": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_override_output_to_speaker": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_prefer_input": (c_int, [_SESSION, c_char_p, _ERROR]),
    "asession_answer_record_permission": (c_int, [_SESSION, c_bool, _ERROR]),
    "asession_set_remote_commands": (c_int, [_SESSION, c_uint, _ERROR]),
    "asession_set_now_playing": (c_int, [_SESSION, POINTER(NowPlaying), _ERROR]),
    "asession_user_paused": (c_int, [_SESSION, _ERROR]),
    # The texts, which have to be freed.
    "asession_why": (c_void_p, [_SESSION, _ERROR]),
    "asession_request": (c_void_p, [_SESSION, c_char_p, _ERROR]),
    "asession_dispatch": (None, [_SESSION]),
}
# Functions that return at once. They keep the interpreter's lock: to take it again can take longer.
_IMMEDIATE = {
    "asession_id": (c_uint64, [_SESSION]),
    "asession_fd": (c_int, [_SESSION]),
    "asession_state": (None, [_SESSION, POINTER(State)]),
    "asession_next_event": (c_bool, [_SESSION, POINTER(Event)]),
    "asession_get_port": (c_bool, [_SESSION, c_int, c_uint32, POINTER(Port)]),
    "asession_record_permission": (c_int, [_SESSION]),
    "asession_version": (c_char_p, []),
    "asession_web_type_name": (c_char_p, [c_int]),
    "asession_web_type_from_name": (c_bool, [c_char_p, POINTER(c_int)]),
    "asession_web_resolve_type": (c_int, [c_int, c_uint]),
    "asession_web_type_is_exclusive": (c_bool, [c_int]),
    "asession_web_state": (c_char_p, [_SESSION]),
    "asession_free": (None, [c_void_p]),
    "asession_gate": (_GATE, [_SESSION]),
    "asession_gate_set_sample_rate": (None, [_GATE, c_uint32]),
    "asession_gate_begin": (c_uint32, [_GATE, c_uint32]),
    "asession_gate_apply": (c_uint32, [_GATE, POINTER(c_void_p), c_uint32, c_uint32]),
    "asession_gate_read": (GateState, [_GATE]),
}


def find() -> str:
    """Returns the library's path or name: AUDIOSESSION_LIBRARY, or the one that the package was built
    with, or the one of the system."""
    chosen = os.environ.get("AUDIOSESSION_LIBRARY", "")
    packaged = pathlib.Path(__file__).parent / SONAME
    return chosen or (str(packaged) if packaged.exists() else SONAME)


class Library:
    """The functions of the library, loaded when the first one is used."""

    def __getattr__(self, name: str):
        path = find()
        try:
            waiting, immediate = ctypes.CDLL(path), ctypes.PyDLL(path)
        except OSError as error:
            raise ImportError(
                f"The library '{path}' cannot be loaded: {error}. Install it (Documentation/SessionsInC.md), or set "
                "AUDIOSESSION_LIBRARY to its path.") from error
        for library, functions in ((waiting, _WAITING), (immediate, _IMMEDIATE)):
            for each, (result, arguments) in functions.items():
                function = getattr(library, each, None)
                if function is None:
                    raise ImportError(f"The library '{path}' has no function {each}; install the version that {SONAME} names.")
                function.restype, function.argtypes = result, arguments
                setattr(self, each, function)
        if name in self.__dict__:
            return self.__dict__[name]
        raise AttributeError(name)


library = Library()


def text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def library_version() -> str:
    """Returns the version of the C library that the package has loaded, such as "0.2.0"."""
    return text(library.asession_version())


__all__ = [
    "Error", "Event", "GateState", "NowPlaying", "Port", "SONAME", "State", "c_float", "find", "library",
    "library_version", "text",
]
