"""Sessions for programs without an event loop, or with one that polls descriptors."""

from __future__ import annotations

import ctypes
import math
import os
import select
import time
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from . import native
from .errors import AudioSessionError, BadArgumentError, ClosedError, exception
from .gate import Gate
from .handle import Handle
from .requests import Requests
from .values import Activity, Command, Event, EventKind, Permission, Port, PortList, Route, State

#: In seconds: a session that another thread closes, or whose events that one takes, wakes nobody.
_LONGEST_POLL = 1.0


class Session(Requests):
    """A session at the arbiter.

    Any thread may call its methods; they wait for each other. Requests wait for
    the arbiter's reply: a few milliseconds usually, and 10 s at most. The program calls `wait` or
    `dispatch` regularly, or polls `fileno()`: the arbiter disconnects a program that does not for some
    seconds.
    """

    def __init__(self, socket_path: str | os.PathLike[str] | None = None, *, required: bool = True) -> None:
        """Connects to the arbiter, starts it if it is not running, and creates an inactive session of
        category soloAmbient. Takes 15 s at most.

        `socket_path` is usually None: AUDIOSESSION_SOCKET, or the path in the user's runtime folder.
        Without an arbiter, raises `NoArbiterError`, or another `AudioSessionError`. If `required` is
        false, `unavailable` has that error instead, all requests succeed, there are no events, and the
        gate is open: the program plays as if there were no sessions.
        """
        self._handle: Handle | None = None
        #: Why the session has no arbiter; None: it has one.
        self.unavailable: AudioSessionError | None = None
        path = None if socket_path is None else os.fsencode(socket_path)
        if path is not None and b"\0" in path:
            raise BadArgumentError("The socket's path contains a null character.")
        error = native.Error()
        pointer: int | None = native.library.asession_open(path, ctypes.byref(error))
        if pointer is None:
            failure = exception(error)
            if required or isinstance(failure, BadArgumentError):
                raise failure
            self.unavailable = failure
        self._handle = Handle(pointer, native.library.asession_close)
        #: The gate that the audio callback applies.
        self.gate = Gate(self._handle, native.library.asession_gate(pointer))

    # ---- The end

    def close(self) -> None:
        """Ends the session, as soon as no call on another thread uses it; others are notified. The gate
        can no longer be used. Does nothing if it is closed already."""
        if self._handle is not None:
            self._handle.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None and not handle.is_closed:
            warnings.warn(f"a session was not closed: {self!r}", ResourceWarning, source=self)
            handle.close()

    # ---- Requests: requests.py

    def _own(self) -> AbstractContextManager[int | None]:
        if self._handle is None:
            raise ClosedError
        return self._handle.own()

    def _request(self, name: str, *arguments: Any) -> None:
        error = native.Error()
        with self._own() as pointer:
            status = getattr(native.library, name)(pointer, *arguments, ctypes.byref(error))
        if status != 0:
            raise exception(error)

    def _request_text(self, name: str, *arguments: Any) -> str:
        if self.unavailable is not None:
            raise self.unavailable
        error = native.Error()
        with self._own() as pointer:
            address = getattr(native.library, name)(pointer, *arguments, ctypes.byref(error))
            if address is None:
                raise exception(error)
            try:
                return native.text(ctypes.string_at(address))
            finally:
                native.library.asession_free(address)

    # ---- State and events

    @property
    def id(self) -> int:
        """The session's number at the arbiter, as `audiosession status` shows it; 0 without an arbiter.
        It changes if the next arbiter does not know the session."""
        with self._own() as pointer:
            return native.library.asession_id(pointer)

    @property
    def state(self) -> State:
        """The state, as of the last `dispatch`, `wait` or request."""
        state = native.State()
        with self._own() as pointer:
            native.library.asession_state(pointer, ctypes.byref(state))
        values = {name: getattr(state, name) for name, _ in native.State._fields_}
        return State(**{**values, "activity": Activity(state.activity)})

    @property
    def web_state(self) -> str:
        """The state of the W3C's Audio Session API: "inactive", "active" or "interrupted"."""
        with self._own() as pointer:
            return native.text(native.library.asession_web_state(pointer))

    def _ports(self, pointer: int | None, which: PortList) -> tuple[Port, ...]:
        port, ports = native.Port(), []
        while native.library.asession_get_port(pointer, int(which), len(ports), ctypes.byref(port)):
            ports.append(Port(native.text(port.uid), native.text(port.name), native.text(port.type), port.channels))
        return tuple(ports)

    @property
    def route(self) -> Route:
        """What the session takes input from and plays to, as of the last `dispatch`, `wait` or request."""
        with self._own() as pointer:
            return Route(self._ports(pointer, PortList.ROUTE_INPUTS), self._ports(pointer, PortList.ROUTE_OUTPUTS))

    @property
    def available_inputs(self) -> tuple[Port, ...]:
        """What `prefer_input` accepts."""
        with self._own() as pointer:
            return self._ports(pointer, PortList.AVAILABLE_INPUTS)

    @property
    def record_permission(self) -> Permission:
        """Whether the program may record. The arbiter keeps the answer for each program; undetermined
        without an arbiter."""
        with self._own() as pointer:
            return Permission(native.library.asession_record_permission(pointer))

    def fileno(self) -> int:
        """Returns a descriptor that is readable when `dispatch` has something to do, for any event loop;
        -1 without an arbiter. Do not read from it."""
        with self._own() as pointer:
            return native.library.asession_fd(pointer)

    def dispatch(self) -> None:
        """Receives what the arbiter has sent, and connects again after a loss. Never waits, unless it has
        to start the next arbiter. Read all events after it."""
        with self._own() as pointer:
            native.library.asession_dispatch(pointer)

    def next_event(self) -> Event | None:
        """Returns the next event that `dispatch` or a request has received, and removes it; None: there
        is none."""
        event = native.Event()
        with self._own() as pointer:
            if not native.library.asession_next_event(pointer, ctypes.byref(event)):
                return None
        known = event.kind in EventKind._value2member_map_
        return Event(
            EventKind(event.kind) if known else event.kind, event.flag, event.value, native.text(event.reason),
            native.text(event.rule), event.by, Command(event.command) if event.kind == EventKind.REMOTE_COMMAND else None)

    def events(self) -> Iterator[Event]:
        """Dispatches, and iterates over the events that have been received."""
        self.dispatch()
        while (event := self.next_event()) is not None:
            yield event

    def wait(self, seconds: float | None = None) -> Event | None:
        """Waits for the next event and returns it; None: there was none within so many seconds.

        Dispatches meanwhile. Raises `ClosedError` within a second if another thread closes the session.
        A session without an arbiter has no events: raises `unavailable` if `seconds` is None.
        """
        end = math.inf if seconds is None else time.monotonic() + seconds
        if self.unavailable is not None and seconds is None:
            raise self.unavailable
        watched = select.poll()
        if self.fileno() != -1:
            watched.register(self.fileno(), select.POLLIN)
        while True:
            self.dispatch()
            if (event := self.next_event()) is not None:
                return event
            left = end - time.monotonic()
            if left <= 0:
                return None
            watched.poll(min(left, _LONGEST_POLL) * 1000)
