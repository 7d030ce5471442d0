"""Sessions for asyncio."""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import os
from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

from .asynchronous_requests import AsyncRequests
from .errors import AudioSessionError, ClosedError
from .gate import Gate
from .session import Session
from .values import Event, State

_Result = TypeVar("_Result")
#: If more events wait, the oldest is dropped, as in the C library.
_MOST_EVENTS = 1024


def _uncancelled(future: concurrent.futures.Future[_Result]) -> asyncio.Future[_Result]:
    """Awaits a call of the session's thread, which goes on if the task is cancelled."""
    call = asyncio.wrap_future(future)
    # Somebody has to look at the error if the task is cancelled.
    call.add_done_callback(lambda done: done.cancelled() or done.exception())
    return asyncio.shield(call)


class AsyncSession(AsyncRequests):
    """A session for an asyncio program, which no call blocks.

        async with AsyncSession() as session:
            await session.set_category(Category.PLAYBACK)
            await session.activate()
            async for event in session:
                ...

    All calls of the library are made on one thread of its own, in their order. A request whose task is
    cancelled is carried out nevertheless. Use a session in the loop in which it was opened.
    """

    def __init__(self, socket_path: str | os.PathLike[str] | None = None, *, required: bool = True) -> None:
        """The arguments are those of `Session`. `open`, or `async with`, opens the session."""
        self._arguments = (socket_path, required)
        self._thread: concurrent.futures.ThreadPoolExecutor | None = None
        self._session: Session | None = None
        self._state = State()
        self._events: collections.deque[Event] = collections.deque(maxlen=_MOST_EVENTS)
        # Set while there are events, and at the end.
        self._changed = asyncio.Event()
        self._is_opening = self._is_closed = False
        self._failure: BaseException | None = None

    # ---- Opening and closing

    async def open(self) -> AsyncSession:
        """Opens the session, unless it is open, and returns it; raises as `Session` does. After an error it
        may be called again."""
        if self._session is not None or self._is_opening or self._is_closed:
            return self._check_open()
        self._is_opening, self._thread = True, concurrent.futures.ThreadPoolExecutor(1, "audiosession")
        opening = self._thread.submit(self._open)
        try:
            session = await _uncancelled(opening)
        except asyncio.CancelledError:
            # The thread opens it nevertheless, and then closes it.
            self._thread.submit(lambda: opening.exception() or opening.result().close())
            self._end_thread()
            raise
        except BaseException:
            self._end_thread()
            raise
        finally:
            self._is_opening = False
        if self._is_closed:
            self._thread.submit(session.close)
            self._end_thread()
            raise ClosedError
        self._session, self._loop = session, asyncio.get_running_loop()
        if session.unavailable is None:
            self._descriptor = session.fileno()
            self._loop.add_reader(self._descriptor, self._receive)
        return self

    def _open(self) -> Session:
        path, required = self._arguments
        session = Session(path, required=required)
        self._state = session.state
        return session

    def _check_open(self) -> AsyncSession:
        if self._session is None or self._is_closed:
            raise ClosedError
        return self

    def _end_thread(self) -> None:
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None

    async def close(self) -> None:
        """Ends the session after the requests that were made before, also if this task is cancelled.
        Iterations over events end. Does nothing if it is closed already."""
        if self._is_closed:
            return
        self._is_closed = True
        self._changed.set()
        if self._session is None or self._thread is None:
            return  # `open` closes it, if it is opening
        if self._session.unavailable is None:
            self._loop.remove_reader(self._descriptor)
        closing = self._thread.submit(self._session.close)
        self._end_thread()
        await _uncancelled(closing)

    async def __aenter__(self) -> AsyncSession:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # ---- Requests: asynchronous_requests.py

    def _opened(self) -> Session:
        if self._session is None or self._is_closed:
            raise ClosedError
        return self._session

    def _submit(self, function: Callable[[Session], _Result]) -> concurrent.futures.Future[_Result]:
        """Calls a function on the session's thread, and keeps the state that the session has then."""
        session = self._opened()
        if self._thread is None:
            raise ClosedError

        def run() -> _Result:
            try:
                return function(session)
            finally:
                self._state = session.state

        return self._thread.submit(run)

    async def _call(self, function: Callable[[Session], _Result]) -> _Result:
        return await _uncancelled(self._submit(function))

    # ---- State and events

    @property
    def gate(self) -> Gate:
        """The gate that the audio callback applies."""
        return self._opened().gate

    @property
    def unavailable(self) -> AudioSessionError | None:
        """See `Session.unavailable`."""
        return self._opened().unavailable

    @property
    def state(self) -> State:
        """The state, as of the last event or request."""
        self._opened()
        return self._state

    @property
    def web_state(self) -> str:
        """See `Session.web_state`; as of the last event or request."""
        return self.state.activity.name.lower()

    def _receive(self) -> None:
        """Receives on the session's thread; meanwhile the loop does not watch the descriptor."""
        self._loop.remove_reader(self._descriptor)
        received = asyncio.wrap_future(self._submit(lambda session: list(session.events())))
        received.add_done_callback(self._finish_receiving)

    def _finish_receiving(self, received: asyncio.Future[list[Event]]) -> None:
        if received.cancelled() or self._is_closed:
            return
        if (failure := received.exception()) is not None:
            self._failure = failure
        else:
            self._events.extend(received.result())
            self._loop.add_reader(self._descriptor, self._receive)
        if self._events or self._failure is not None:
            self._changed.set()

    async def next_event(self) -> Event:
        """Waits for the next event. Raises `ClosedError` when the session is closed, and `unavailable`
        if it has no arbiter: then there are no events."""
        while not self._events:
            unavailable = self._opened().unavailable
            if unavailable is not None:
                raise unavailable
            if self._failure is not None:
                raise self._failure
            self._changed.clear()
            await self._changed.wait()
        return self._events.popleft()

    def __aiter__(self) -> AsyncSession:
        """Iterates over the events until the session is closed; not at all if it has no arbiter."""
        return self

    async def __anext__(self) -> Event:
        if not self._is_closed and self._session is not None and self._session.unavailable is not None:
            raise StopAsyncIteration
        try:
            return await self.next_event()
        except ClosedError:
            raise StopAsyncIteration from None
