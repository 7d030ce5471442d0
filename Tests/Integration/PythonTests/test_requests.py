"""Routes, recording, remote control and explanations in Python, at a real arbiter."""

import array
import asyncio
import json
import math
import unittest

from audiosession import (
    AsyncSession,
    BadArgumentError,
    Category,
    Command,
    EventKind,
    FailedError,
    Mode,
    NoArbiterError,
    NowPlaying,
    Option,
    Permission,
    PlaybackState,
    Port,
    RefusedError,
    RepeatMode,
    Route,
    RouteSharingPolicy,
    Session,
)
from support import ArbiterTestCase, eventually

HEADSET = {
    "uid": "usb:headset",
    "ports": [
        {"uid": "usb:headset:out", "name": "Kopfhörer", "type": "headphones", "direction": "output", "channels": 2},
        {"uid": "usb:headset:in", "name": "Headset", "type": "headsetMic", "direction": "input", "channels": 1},
    ],
}
OUTPUT = Port("usb:headset:out", "Kopfhörer", "headphones", 2)
INPUT = Port("usb:headset:in", "Headset", "headsetMic", 1)


def play(session, options=Option.NONE):
    session.set_category(Category.PLAYBACK, options=options)
    session.activate()
    session.set_playing(True)


class RequestTests(ArbiterTestCase):
    def recorded(self, session):
        """Returns what the arbiter knows of a session."""
        report = session.request({"request": "report"})["report"]
        (state,) = [each["status"]["session"] for each in report["sessions"] if each["status"]["session"]["id"] == session.id]
        return state

    def test_route(self):
        """ROUTE-1, ROUTE-2, ROUTE-6: the route and the available inputs follow what is plugged in."""
        with Session() as session:
            session.set_category(Category.PLAY_AND_RECORD)
            session.activate()
            self.assertEqual(session.route, Route())
            session.request({"action": "plug", "device": HEADSET})
            self.await_event(session, EventKind.AVAILABLE_INPUTS_CHANGED)
            self.assertEqual(session.route, Route((INPUT,), (OUTPUT,)))
            self.assertEqual(session.available_inputs, (INPUT,))
            session.prefer_input(INPUT.uid)
            session.prefer_input(None)
            with self.assertRaises(RefusedError) as refused:
                session.prefer_input("nothing")
            self.assertEqual(refused.exception.rule, "ROUTE-6")
            for text in ("a\0b", "\ud800"):
                with self.assertRaises(BadArgumentError):
                    session.prefer_input(text)
            session.override_output_to_speaker()
            session.prefer_interruption_on_route_disconnect(False)
            session.prefer_no_interruptions_from_system_alerts()
            session.set_output_muted(True)
            self.assertTrue(self.await_event(session, EventKind.OUTPUT_MUTE_CHANGED).flag)
            session.set_paused(True)
            state = self.recorded(session)
            self.assertTrue(state["isOverriddenToSpeaker"] and state["prefersNoInterruptionsFromSystemAlerts"])
            self.assertTrue(state["isOutputMuted"] and state["isPaused"])
            self.assertFalse(state["prefersInterruptionOnRouteDisconnect"])
            session.set_category(Category.PLAYBACK, policy=RouteSharingPolicy.LONG_FORM_AUDIO)
            self.assertEqual(self.recorded(session)["configuration"]["routeSharingPolicy"], "longFormAudio")

    def test_permission(self):
        """PERM-2, PERM-3, PERM-4: recording asks, the answer is kept, and the input can be muted."""
        with Session() as session:
            session.set_category(Category.RECORD)
            session.request({"action": "plug", "device": HEADSET})
            self.assertEqual(session.record_permission, Permission.UNDETERMINED)
            session.set_recording(True)
            self.await_event(session, EventKind.RECORD_PERMISSION_NEEDED)
            session.answer_record_permission(True)
            self.await_event(session, EventKind.RECORD_PERMISSION_CHANGED)
            self.assertEqual(session.record_permission, Permission.GRANTED)
            self.assertTrue(session.gate.read().is_input_granted)
            session.set_input_muted(True)
            self.assertTrue(self.await_event(session, EventKind.INPUT_MUTE_CHANGED).flag)
            self.assertFalse(session.gate.read().is_input_granted)

    def test_remote_control(self):
        """REMOTE-1, REMOTE-3: commands arrive, and what plays is published."""
        with Session() as session:
            play(session)
            session.set_remote_commands([Command.PLAY, Command.SEEK, Command.SET_SHUFFLED, Command.SET_REPEAT_MODE, Command.SEEK])
            session.set_now_playing(
                NowPlaying(PlaybackState.PLAYING, title="Ein Stück", duration=200, position=5, repeat_mode=RepeatMode.ALL))
            info = self.recorded(session)["nowPlaying"]["info"]
            self.assertEqual((info["title"], info["duration"], info["rate"]), ("Ein Stück", 200, 1))
            self.assertEqual((info["isShuffled"], info["repeatMode"]), (False, "all"))
            session.request({"action": "remoteCommand", "command": "seek", "value": 30})
            event = self.await_event(session, EventKind.REMOTE_COMMAND)
            self.assertEqual((event.command, event.value), (Command.SEEK, 30))
            session.request({"action": "remoteCommand", "command": "setRepeatMode", "value": "one"})
            event = self.await_event(session, EventKind.REMOTE_COMMAND)
            self.assertEqual((event.command, RepeatMode(int(event.value))), (Command.SET_REPEAT_MODE, RepeatMode.ONE))
            with self.assertRaises(RefusedError):
                session.request({"action": "remoteCommand", "command": "quit"})
            with self.assertRaises(BadArgumentError):
                session.set_now_playing(NowPlaying(PlaybackState.PLAYING, position=-1))
            for number in (-1, 13, 40):
                with self.assertRaises(BadArgumentError):
                    session.set_remote_commands([number])
            session.set_now_playing(None)
            self.assertNotIn("nowPlaying", self.recorded(session))
            session.user_paused()

    def test_audible_only(self):
        """DUCK-2: others are lowered only while the session is audible."""
        with Session() as music, Session() as prompt:
            play(music, Option.MIX_WITH_OTHERS)
            prompt.set_ducks_only_while_audible(True)
            play(prompt, Option.DUCK_OTHERS)
            self.assertEqual(music.gate.read().attenuation, 0)
            prompt.gate.apply([array.array("f", [0.5] * 480)])
            self.assertEqual(music.gate.read().attenuation, 14)
            self.assertTrue(eventually(lambda: prompt.dispatch() or self.recorded(prompt).get("isAudible")))
            prompt.gate.apply([array.array("f", [0] * 96_000)])
            self.assertTrue(eventually(lambda: prompt.dispatch() or music.gate.read().attenuation == 0))

    def test_why_and_requests(self):
        """ACT-13: explanations; and the rest of the protocol as values."""
        with Session() as session:
            play(session, Option.MIX_WITH_OTHERS)
            self.assertIn("No rule restricts it", session.why())
            self.command("call", "ring")
            self.await_event(session, EventKind.INTERRUPTION_BEGAN)
            self.assertIn("because of call", session.why())
            decisions = session.request({"request": "log", "after": 0})["decisions"]
            self.assertIn("activate", [each["action"] for each in decisions])
            for wrong in ({"request": "hello", "version": 1}, {"action": "setVolume", "value": math.nan}, {"action": {1}}):
                with self.assertRaises(BadArgumentError):
                    session.request(wrong)
            with self.assertRaises(FailedError) as failed:
                session.request({"request": "nothing"})
            self.assertEqual(failed.exception.code, "malformed")

    def test_without_arbiter(self):
        """Requests succeed, and what would have a result raises why there is none."""
        self.use(AUDIOSESSIOND="/nowhere", PATH="/nowhere")
        with Session(required=False) as session:
            session.set_remote_commands([Command.PLAY])
            session.set_now_playing(NowPlaying(PlaybackState.STOPPED))
            session.answer_record_permission(True)
            self.assertEqual((session.route, session.available_inputs), (Route(), ()))
            self.assertEqual(session.record_permission, Permission.UNDETERMINED)
            for call in (session.why, lambda: session.request({"request": "log"})):
                self.assertRaises(NoArbiterError, call)

    def test_asynchronous(self):
        """The same requests as coroutines."""

        async def story():
            async with AsyncSession() as session:
                await session.set_category(Category.PLAY_AND_RECORD, Mode.VOICE_CHAT, policy=RouteSharingPolicy.DEFAULT)
                await session.request({"action": "plug", "device": HEADSET})
                await session.activate()
                self.assertEqual(await session.route(), Route((INPUT,), (OUTPUT,)))
                self.assertEqual(await session.available_inputs(), (INPUT,))
                await session.prefer_input(INPUT.uid)
                await session.override_output_to_speaker()
                await session.prefer_interruption_on_route_disconnect()
                await session.prefer_no_interruptions_from_system_alerts()
                await session.answer_record_permission(True)
                self.assertEqual(await session.record_permission(), Permission.GRANTED)
                await session.set_input_muted(True)
                await session.set_category(Category.PLAYBACK)
                await session.set_output_muted(True)
                await session.set_output_muted(False)
                await session.set_paused(False)
                await session.set_ducks_only_while_audible(False)
                await session.set_playing(True)
                await session.set_remote_commands([Command.PLAY])
                await session.set_now_playing(NowPlaying(PlaybackState.PLAYING, title="Title"))
                await session.request({"action": "remoteCommand", "command": "play"})
                async for event in session:
                    if event.kind == EventKind.REMOTE_COMMAND:
                        break
                self.assertEqual(event.command, Command.PLAY)
                await session.user_paused()
                self.assertIn("playback", await session.why())
                report = json.dumps(await session.request({"request": "report"}))
                self.assertIn("Title", report)

        asyncio.run(asyncio.wait_for(story(), 60))

    def test_same_requests(self):
        """The session for asyncio has every request of the other one."""
        names = {name for name in vars(Session.__mro__[1]) if not name.startswith("_")}
        names |= {"id", "route", "available_inputs", "record_permission", "state", "gate", "unavailable", "close"}
        self.assertEqual(names - set(dir(AsyncSession)), set())


if __name__ == "__main__":
    unittest.main()
