"""The W3C's Audio Session API, for browsers."""

from __future__ import annotations

import enum


class WebElement(enum.IntFlag):
    """The elements of a page that are audible, or would be, for `WebType.AUTO`."""

    #: A media element plays.
    PLAYS_MEDIA = 0x1
    #: The page captures from a microphone.
    CAPTURES = 0x2


class WebType(enum.IntEnum):
    """The types of the W3C's Audio Session API, for browsers."""

    #: The browser chooses by what the page does.
    AUTO = 0
    PLAYBACK = 1
    TRANSIENT = 2
    TRANSIENT_SOLO = 3
    AMBIENT = 4
    PLAY_AND_RECORD = 5

    @property
    def web_name(self) -> str:
        """The name in the API, such as "transient-solo"."""
        return self.name.lower().replace("_", "-")

    @classmethod
    def named(cls, name: str) -> WebType:
        """Returns the type of this name in the API; raises ValueError if there is none."""
        for each in cls:
            if each.web_name == name:
                return each
        raise ValueError(f"No type of an audio session has the name {name!r}.")

    @property
    def is_exclusive(self) -> bool:
        """Whether the API calls the type exclusive: one such session of a page is active at a time."""
        return self in (WebType.PLAYBACK, WebType.TRANSIENT_SOLO, WebType.PLAY_AND_RECORD)
