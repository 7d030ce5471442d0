"""Audio sessions for Python programs: who plays, who is lowered, who waits.

A session states what the program plays and when, and learns what to do about the sound of other
programs: a call interrupts it, it may resume, it is lowered while a navigation prompt speaks.

    from audiosession import Category, Option, Session

    with Session() as session:
        session.set_category(Category.PLAYBACK, options=Option.DUCK_OTHERS)
        session.activate()
        session.set_playing(True)
        ...

`Session` blocks, `AsyncSession` is for asyncio. Both use libaudiosession, which starts the service
(`audiosessiond`) if it is not running. See Documentation/SessionsInPython.md.
"""

from .asynchronous import AsyncSession
from .errors import (
    AudioSessionError,
    BadArgumentError,
    ClosedError,
    FailedError,
    LostError,
    NoArbiterError,
    NoMemoryError,
    RefusedError,
)
from .gate import Gate
from .native import library_version
from .session import Session
from .values import (
    Activity,
    Category,
    Command,
    Event,
    EventKind,
    GateState,
    Mode,
    NowPlaying,
    Option,
    Permission,
    PlaybackState,
    Port,
    Preference,
    RepeatMode,
    Route,
    RouteSharingPolicy,
    State,
)
from .web import WebElement, WebType

__version__ = "0.2.0"

__all__ = [
    "Activity",
    "AsyncSession",
    "AudioSessionError",
    "BadArgumentError",
    "Category",
    "ClosedError",
    "Command",
    "Event",
    "EventKind",
    "FailedError",
    "Gate",
    "GateState",
    "LostError",
    "Mode",
    "NoArbiterError",
    "NoMemoryError",
    "NowPlaying",
    "Option",
    "Permission",
    "PlaybackState",
    "Port",
    "Preference",
    "RefusedError",
    "RepeatMode",
    "Route",
    "RouteSharingPolicy",
    "Session",
    "State",
    "WebElement",
    "WebType",
    "library_version",
]
