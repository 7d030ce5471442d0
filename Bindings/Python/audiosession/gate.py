"""The gate: what the audio callback applies to its buffers."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

from . import native
from .errors import BadArgumentError
from .handle import Handle
from .values import GateState


class Gate:
    """Fades the session out while it is interrupted, lowers it while another one speaks, and applies
    the system volume, in ramps that have no step. It is not a noise gate.

    Its methods may be called on the audio thread while other threads use the session; they return at
    once. They raise `ClosedError` when the session is closed.
    """

    def __init__(self, handle: Handle, pointer: int | None) -> None:
        # That of the session, with which the gate ends.
        self._handle, self._pointer = handle, pointer

    def set_sample_rate(self, sample_rate: int) -> None:
        """Sets the sample rate of the buffers, in Hz, at most 768,000; 48,000 initially."""
        if not 0 < sample_rate <= 768_000:
            raise BadArgumentError(f"The sample rate {sample_rate} is not from 1 to 768,000 Hz.")
        with self._handle.use():
            native.library.asession_gate_set_sample_rate(self._pointer, sample_rate)

    def begin(self, frames: int) -> int:
        """Returns how many of the next `frames` frames the sources should render: all of them, 0 while
        the session is suspended, or fewer if the fade-out ends earlier.

        Optional, once per cycle before `apply` with as many frames, which then applies the same grant.
        """
        _check_frames(frames)
        with self._handle.use():
            return native.library.asession_gate_begin(self._pointer, frames)

    def apply(self, planes: Sequence[Any]) -> int:
        """Applies the gate to the next frames, in place.

        `planes` has a writable buffer of 32-bit floats for each channel, all of the same length: an
        `array('f')`, a row of a NumPy array of type float32, or a buffer of bytes, such as those that
        cffi makes.
        Call it once per cycle, for all channels of the session. An open gate does not change a bit.
        Returns what `begin` returned, or would have returned.
        """
        views = [_samples(plane) for plane in planes]
        frames = len(views[0]) if views else 0
        if any(len(each) != frames for each in views):
            raise BadArgumentError(f"The channels have different lengths: {[len(each) for each in views]} frames.")
        # Types that exist already, and no `ctypes.cast`: both would leave objects to the garbage collection.
        first_bytes = [ctypes.c_char.from_buffer(each) for each in views] if frames > 0 else []
        addresses = _addresses(len(first_bytes))(*(ctypes.addressof(each) for each in first_bytes))
        if any(address % 4 != 0 for address in addresses):
            raise BadArgumentError("The samples of a channel have to be at an address that is a multiple of 4.")
        with self._handle.use():
            return native.library.asession_gate_apply(self._pointer, addresses, len(first_bytes), frames)

    def read(self) -> GateState:
        """Returns what the arbiter grants now, for engines that fade by themselves."""
        with self._handle.use():
            state = native.library.asession_gate_read(self._pointer)
        return GateState(*(getattr(state, name) for name, _ in native.GateState._fields_))


def _check_frames(frames: int) -> None:
    if not 0 <= frames < 2**32:
        raise BadArgumentError(f"{frames} is not a number of frames.")


@functools.cache
def _addresses(count: int) -> Any:
    """Returns the type of an array of so many addresses."""
    return ctypes.c_void_p * count


def _samples(plane: Any) -> memoryview:
    """Returns a view of a channel's samples."""
    view = memoryview(plane)
    if view.format == "B" and view.ndim == 1 and view.c_contiguous and view.nbytes % 4 == 0:
        view = view.cast("f")  # a buffer without a type, as cffi makes them
    if view.format != "f" or view.ndim != 1 or not view.c_contiguous or view.readonly:
        raise BadArgumentError(
            f"A channel has to be a writable row of 32-bit floats without gaps; it has the format '{view.format}', "
            f"{view.ndim} dimensions{', gaps' * (not view.c_contiguous)}{', and is read-only' * view.readonly}.")
    return view
