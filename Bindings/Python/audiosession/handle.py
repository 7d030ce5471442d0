"""Who uses an object of the C library, and when it is freed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .errors import ClosedError


class Handle:
    """A pointer that is freed when it is closed and no call uses it any longer.

    Closing never waits: a signal handler may close a session in the middle of a call of its thread.
    """

    def __init__(self, pointer: int | None, free: Callable[[int | None], None]) -> None:
        self._pointer, self._free = pointer, free
        self._process = os.getpid()
        self._users = 0
        self._is_freed = False
        self.is_closed = False
        # For the members above, never held while a function of the library runs.
        self._lock = threading.RLock()
        # Held while a function runs that only one thread at a time may call.
        self._turn = threading.RLock()

    @contextmanager
    def use(self) -> Iterator[int | None]:
        """Keeps the pointer from being freed. Raises `ClosedError` if it is closed, or in a child process
        that was forked after the opening."""
        if os.getpid() != self._process:
            raise ClosedError("The session belongs to the process that has opened it; open another one.")
        with self._lock:
            if self.is_closed:
                raise ClosedError
            self._users += 1
        try:
            yield self._pointer
        finally:
            with self._lock:
                self._users -= 1
            self._free_if_unused()

    @contextmanager
    def own(self) -> Iterator[int | None]:
        """The same, for one thread at a time."""
        with self.use() as pointer, self._turn:
            if self.is_closed:
                raise ClosedError
            yield pointer

    def close(self) -> None:
        """Closes it, and frees it now or at the end of the last call."""
        if os.getpid() != self._process:
            # A thread that does not exist in this process may hold the lock, or have been in a call: then
            # the object may be inconsistent, and stays.
            self._lock = threading.RLock()
            self._is_freed = self._is_freed or self._users > 0
        self.is_closed = True
        self._free_if_unused()

    def _free_if_unused(self) -> None:
        with self._lock:
            is_due = self.is_closed and self._users == 0 and not self._is_freed
            self._is_freed = self._is_freed or is_due
        if is_due:
            self._free(self._pointer)
