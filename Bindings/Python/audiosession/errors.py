"""What calls raise."""

from __future__ import annotations

from . import native


class AudioSessionError(Exception):
    """Why a call has failed. It has changed nothing, unless the error is a `LostError`.

    `str()` gives what was asked, why it failed and what to do.
    """

    def __init__(self, message: str, *, code: str = "", rule: str = "", by: int = 0) -> None:
        super().__init__(message)
        #: The code of the refusal or error in the protocol, such as "insufficientPriority"; or "".
        self.code = code
        #: The rule that refuses, such as "ACT-5"; or "".
        self.rule = rule
        #: The session that prevents it; 0: none.
        self.by = by


class BadArgumentError(AudioSessionError, ValueError):
    """An argument is out of range."""


class NoMemoryError(AudioSessionError):
    """Out of memory or file descriptors."""


class NoArbiterError(AudioSessionError):
    """No arbiter is running, and none could be started."""


class LostError(AudioSessionError):
    """The arbiter has ended, or does not answer. The request may have been carried out."""


class RefusedError(AudioSessionError):
    """A rule refuses the request: see `rule` and `by`."""


class FailedError(AudioSessionError):
    """The arbiter cannot carry out the request for another reason, such as a limit."""


class ClosedError(AudioSessionError, ValueError):
    """The session is closed."""

    def __init__(self, message: str = "The session is closed; open another one.") -> None:
        super().__init__(message)


_CLASSES = {
    1: BadArgumentError,
    2: NoMemoryError,
    3: NoArbiterError,
    4: LostError,
    5: RefusedError,
    6: FailedError,
}


def exception(error: native.Error) -> AudioSessionError:
    """Returns the exception for an error of the library."""
    kind = _CLASSES.get(error.status, FailedError)
    return kind(native.text(error.message), code=native.text(error.code), rule=native.text(error.rule), by=error.by)
