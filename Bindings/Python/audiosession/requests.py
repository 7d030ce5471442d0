"""The requests of a session."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterable, Mapping
from typing import Any

from . import native
from .errors import BadArgumentError
from .values import Category, Command, Mode, NowPlaying, Option, Preference, RouteSharingPolicy
from .web import WebElement, WebType


class Requests:
    """The requests of `Session`, which sends them."""

    def _request(self, name: str, *arguments: Any) -> None:
        """Calls a function of the library that returns a status."""
        raise NotImplementedError

    def _request_text(self, name: str, *arguments: Any) -> str:
        """Calls a function of the library that returns a text."""
        raise NotImplementedError

    # ---- What the program plays

    def set_category(
        self, category: Category, mode: Mode = Mode.DEFAULT, options: Option = Option.NONE,
        policy: RouteSharingPolicy = RouteSharingPolicy.DEFAULT,
    ) -> None:
        """Sets the category, the mode, the options and the policy together; options that are not given are
        cleared.

        Refused if they do not fit together, or, while the session is active, by a session of higher
        priority.
        """
        self._request("asession_set_category_and_policy", int(category), int(mode), int(policy), int(options))

    def set_web_type(self, web_type: WebType, elements: WebElement = WebElement(0)) -> None:
        """Sets the category, the mode and the options of a type of the W3C's Audio Session API.

        The type AUTO becomes that of the elements of the page. Refused as by `set_category`.
        """
        self._request("asession_set_web_type", int(web_type), int(elements))

    def prefer(self, preference: Preference, value: float) -> None:
        """States a preference for the audio hardware; 0 clears it."""
        self._request("asession_prefer", int(preference), float(value))

    def activate(self) -> None:
        """Activates the session: others are interrupted or lowered, as its category says.

        Refused while a session of higher priority, such as a call, is active.
        """
        self._request("asession_activate")

    def request_activation(self) -> None:
        """Activates the session, or has it wait until the session that prevents that has ended: then an
        event ACTIVATED reports that it is active."""
        self._request("asession_request_activation")

    def deactivate(self, *, notify_others: bool = True) -> None:
        """Deactivates the session. `notify_others`: sessions that it has interrupted may resume."""
        self._request("asession_deactivate", bool(notify_others))

    def set_playing(self, is_playing: bool) -> None:
        """States that the session begins or ceases to play. An active session that does not play for a
        while no longer lowers others or keeps them waiting."""
        self._request("asession_set_playing", bool(is_playing))

    def set_recording(self, is_recording: bool) -> None:
        """States that the session begins or ceases to take input."""
        self._request("asession_set_recording", bool(is_recording))

    def set_paused(self, is_paused: bool) -> None:
        """States that the session is paused part-way: it remains in use, so that others are kept waiting,
        but no longer lowers them."""
        self._request("asession_set_paused", bool(is_paused))

    def set_output_muted(self, is_muted: bool) -> None:
        """Silences the session, which continues."""
        self._request("asession_set_output_muted", bool(is_muted))

    def set_ducks_only_while_audible(self, is_on: bool) -> None:
        """Has a session with `Option.DUCK_OTHERS` lower others only while it is audible, instead of for as
        long as it is active. `gate.apply` finds out from the samples whether it is."""
        self._request("asession_set_ducks_only_while_audible", bool(is_on))

    def prefer_no_interruptions_from_system_alerts(self, prefers: bool = True) -> None:
        """States that a call should not interrupt the session while it only rings."""
        self._request("asession_prefer_no_interruptions_from_system_alerts", bool(prefers))

    # ---- The route and recording

    def prefer_input(self, uid: str | None) -> None:
        """Prefers an input, by its uid, to newer ones while it is available; None: the arbiter chooses.
        Refused if no available input has this uid."""
        self._request("asession_prefer_input", _bytes(uid))

    def override_output_to_speaker(self, overrides: bool = True) -> None:
        """Plays to the speaker instead of the receiver or headphones, until the route changes or the
        session is interrupted. For category PLAY_AND_RECORD."""
        self._request("asession_override_output_to_speaker", bool(overrides))

    def prefer_interruption_on_route_disconnect(self, prefers: bool = True) -> None:
        """States that the session should be interrupted when the output that it plays to is unplugged,
        which is so initially, or else go on elsewhere."""
        self._request("asession_prefer_interruption_on_route_disconnect", bool(prefers))

    def answer_record_permission(self, is_granted: bool) -> None:
        """States what the user has answered; does nothing if there is an answer already. A program that
        does not ask its user answers True, before it records or when RECORD_PERMISSION_NEEDED asks."""
        self._request("asession_answer_record_permission", bool(is_granted))

    def set_input_muted(self, is_muted: bool) -> None:
        """Silences the input of all sessions of the program, without an interruption."""
        self._request("asession_set_input_muted", bool(is_muted))

    # ---- Remote control

    def set_remote_commands(self, commands: Iterable[Command]) -> None:
        """States which commands the session handles. They arrive as events REMOTE_COMMAND while it is the
        session that has played last."""
        try:
            bits = {1 << Command(command) for command in commands}
        except ValueError as error:
            raise BadArgumentError(f"The commands cannot be set: {error}; use the members of Command.") from None
        self._request("asession_set_remote_commands", sum(bits))

    def set_now_playing(self, now_playing: NowPlaying | None) -> None:
        """Publishes what the session plays, for lock screens and panels; None: nothing. Call it when
        something has changed or after a jump, not for each second."""
        if now_playing is None:
            self._request("asession_set_now_playing", None)
            return
        value = native.NowPlaying()
        for name, kind in native.NowPlaying._fields_:
            member = getattr(now_playing, name)
            setattr(value, name, _bytes(member) if kind is ctypes.c_char_p else member)
        self._request("asession_set_now_playing", ctypes.byref(value))

    def user_paused(self) -> None:
        """States that the user has paused the session: it is not resumed after an interruption."""
        self._request("asession_user_paused")

    # ---- Explanations, and the rest of the protocol

    def why(self) -> str:
        """Explains in sentences why the session is as it is: paused, lowered, without input; because of
        which program, and by which rule. A session without an arbiter raises `unavailable`."""
        return self._request_text("asession_why")

    def request(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Sends a request of the protocol, and returns the reply to it: for all that has no method here,
        such as the log (`{"request": "log", "after": 0}`) and the switches of the device.

        Documentation/Protocol.md describes the requests. The library fills in `serial`; where `session`
        or `app` is 0, it fills in the number of this session or program. A value that JSON cannot
        express, and a request that concerns the connection, raise `BadArgumentError`. A session without an arbiter raises
        `unavailable`.
        """
        try:
            text = json.dumps(dict(message), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise BadArgumentError(f"The request cannot be written in JSON: {error}.") from None
        reply: dict[str, Any] = json.loads(self._request_text("asession_request", _bytes(text)))
        return reply


def _bytes(text: str | None) -> bytes | None:
    """Returns a text as the library takes it."""
    if text is None:
        return None
    if "\0" in text:
        raise BadArgumentError("The text contains a null character.")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadArgumentError(f"The text cannot be encoded in UTF-8: {error}.") from None
