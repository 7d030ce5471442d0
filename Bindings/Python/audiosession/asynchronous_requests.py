"""The requests of a session for asyncio."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from .session import Session
from .values import Category, Command, Mode, NowPlaying, Option, Permission, Port, Preference, Route, RouteSharingPolicy
from .web import WebElement, WebType

_Result = TypeVar("_Result")


class AsyncRequests:
    """The requests of `AsyncSession`, which makes them on its thread."""

    async def _call(self, function: Callable[[Session], _Result]) -> _Result:
        raise NotImplementedError

    async def set_category(
        self, category: Category, mode: Mode = Mode.DEFAULT, options: Option = Option.NONE,
        policy: RouteSharingPolicy = RouteSharingPolicy.DEFAULT,
    ) -> None:
        """See `Session.set_category`."""
        await self._call(lambda session: session.set_category(category, mode, options, policy))

    async def set_web_type(self, web_type: WebType, elements: WebElement = WebElement(0)) -> None:
        """See `Session.set_web_type`."""
        await self._call(
            lambda session: session.set_web_type(web_type, elements))

    async def prefer(self, preference: Preference, value: float) -> None:
        """See `Session.prefer`."""
        await self._call(lambda session: session.prefer(preference, value))

    async def activate(self) -> None:
        """See `Session.activate`."""
        await self._call(Session.activate)

    async def request_activation(self) -> None:
        """See `Session.request_activation`."""
        await self._call(Session.request_activation)

    async def deactivate(self, *, notify_others: bool = True) -> None:
        """See `Session.deactivate`."""
        await self._call(lambda session: session.deactivate(notify_others=notify_others))

    async def set_playing(self, is_playing: bool) -> None:
        """See `Session.set_playing`."""
        await self._call(lambda session: session.set_playing(is_playing))

    async def set_recording(self, is_recording: bool) -> None:
        """See `Session.set_recording`."""
        await self._call(lambda session: session.set_recording(is_recording))

    async def set_paused(self, is_paused: bool) -> None:
        """See `Session.set_paused`."""
        await self._call(lambda session: session.set_paused(is_paused))

    async def set_output_muted(self, is_muted: bool) -> None:
        """See `Session.set_output_muted`."""
        await self._call(lambda session: session.set_output_muted(is_muted))

    async def set_ducks_only_while_audible(self, is_on: bool) -> None:
        """See `Session.set_ducks_only_while_audible`."""
        await self._call(lambda session: session.set_ducks_only_while_audible(is_on))

    async def prefer_no_interruptions_from_system_alerts(self, prefers: bool = True) -> None:
        """See `Session.prefer_no_interruptions_from_system_alerts`."""
        await self._call(lambda session: session.prefer_no_interruptions_from_system_alerts(prefers))

    async def prefer_input(self, uid: str | None) -> None:
        """See `Session.prefer_input`."""
        await self._call(lambda session: session.prefer_input(uid))

    async def override_output_to_speaker(self, overrides: bool = True) -> None:
        """See `Session.override_output_to_speaker`."""
        await self._call(lambda session: session.override_output_to_speaker(overrides))

    async def prefer_interruption_on_route_disconnect(self, prefers: bool = True) -> None:
        """See `Session.prefer_interruption_on_route_disconnect`."""
        await self._call(lambda session: session.prefer_interruption_on_route_disconnect(prefers))

    async def answer_record_permission(self, is_granted: bool) -> None:
        """See `Session.answer_record_permission`."""
        await self._call(lambda session: session.answer_record_permission(is_granted))

    async def set_input_muted(self, is_muted: bool) -> None:
        """See `Session.set_input_muted`."""
        await self._call(lambda session: session.set_input_muted(is_muted))

    async def set_remote_commands(self, commands: Iterable[Command]) -> None:
        """See `Session.set_remote_commands`."""
        handled = list(commands)
        await self._call(lambda session: session.set_remote_commands(handled))

    async def set_now_playing(self, now_playing: NowPlaying | None) -> None:
        """See `Session.set_now_playing`."""
        await self._call(lambda session: session.set_now_playing(now_playing))

    async def user_paused(self) -> None:
        """See `Session.user_paused`."""
        await self._call(Session.user_paused)

    async def why(self) -> str:
        """See `Session.why`."""
        return await self._call(Session.why)

    async def request(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """See `Session.request`."""
        return await self._call(lambda session: session.request(message))

    async def id(self) -> int:
        """See `Session.id`."""
        return await self._call(lambda session: session.id)

    async def route(self) -> Route:
        """See `Session.route`."""
        return await self._call(lambda session: session.route)

    async def available_inputs(self) -> tuple[Port, ...]:
        """See `Session.available_inputs`."""
        return await self._call(lambda session: session.available_inputs)

    async def record_permission(self) -> Permission:
        """See `Session.record_permission`."""
        return await self._call(lambda session: session.record_permission)
