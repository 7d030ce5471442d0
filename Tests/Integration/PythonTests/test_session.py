"""Sessions in Python at a real arbiter."""

import array
import ctypes
import gc
import json
import math
import os
import signal
import threading
import unittest

import audiosession
from audiosession import Activity, BadArgumentError, Category, ClosedError, EventKind, Mode, Option, Preference, Session, WebElement, WebType, native
from support import ArbiterTestCase, eventually


def settled(gate):
    """Returns the gain at which a gate has settled: that of all samples of a block."""
    levels = []

    def is_settled():
        block = array.array("f", [1.0] * 480)
        gate.apply([block])
        levels.append(set(block))
        return len(levels) > 20 and len(levels[-1]) == 1 and levels[-1] == levels[-2]

    assert eventually(is_settled)
    return levels[-1].pop()


class SessionTests(ArbiterTestCase):
    def test_web_types(self):
        """The types of the W3C's Audio Session API lower and interrupt as it says; the state has its names."""
        with Session() as music, Session() as other:
            music.set_web_type(WebType.AUTO, WebElement.PLAYS_MEDIA)
            self.assertEqual(music.web_state, "inactive")
            music.activate()
            self.assertEqual(music.web_state, "active")
            other.set_web_type(WebType.TRANSIENT)
            other.activate()
            self.assertEqual((music.gate.read().attenuation, music.web_state), (14, "active"))
            other.deactivate()
            other.set_web_type(WebType.named("transient-solo"))
            other.activate()
            self.await_event(music, EventKind.INTERRUPTION_BEGAN)
            self.assertEqual((music.gate.read().attenuation, music.web_state), (0, "interrupted"))
            other.deactivate()
            self.assertTrue(self.await_event(music, EventKind.INTERRUPTION_ENDED).flag)
            with self.assertRaises(BadArgumentError):
                music.set_web_type(6)

    def test_web_names(self):
        """The names of the types are those of the library, and so is which are exclusive."""
        for each in WebType:
            self.assertEqual(native.library.asession_web_type_name(each), each.web_name.encode())
            self.assertEqual(native.library.asession_web_type_is_exclusive(each), each.is_exclusive)
            self.assertIs(WebType.named(each.web_name), each)
            found = native.c_int(-1)
            self.assertTrue(native.library.asession_web_type_from_name(each.web_name.encode(), ctypes.byref(found)))
            self.assertEqual(found.value, each)
        with self.assertRaises(ValueError):
            WebType.named("Playback")
        self.assertEqual(native.library.asession_web_resolve_type(WebType.AUTO, int(WebElement.CAPTURES | WebElement.PLAYS_MEDIA)), WebType.PLAY_AND_RECORD)

    def test_opening(self):
        """The library starts the arbiter, and the session has its first state."""
        with Session() as session:
            self.assertGreater(session.id, 0)
            self.assertTrue(session.state.is_connected)
            self.assertEqual(session.state.activity, Activity.INACTIVE)
            self.assertIn("soloAmbient", self.command("status"))
            session.set_category(Category.PLAYBACK, Mode.SPOKEN_AUDIO)
            session.prefer(Preference.IO_BUFFER_DURATION, 0.01)
            session.activate()
            self.assertEqual(session.state.activity, Activity.ACTIVE)
            self.assertIn("spokenAudio", self.command("status", "--json"))
            session.deactivate()
            self.assertEqual(session.state.activity, Activity.INACTIVE)

    def test_ducking(self):
        """CAT-5: a session that ducks others lowers them while it plays, by the level that the gate reports."""
        with Session() as music, Session() as prompt:
            for session in (music, prompt):
                session.set_category(
                    Category.PLAYBACK, options=Option.NONE if session is music else Option.DUCK_OTHERS)
            music.activate()
            music.set_playing(True)
            self.assertEqual(settled(music.gate), 1)
            prompt.activate()
            prompt.set_playing(True)
            self.assertTrue(eventually(lambda: music.gate.read().attenuation > 0))
            expected = 10 ** (-music.gate.read().attenuation / 20)
            self.assertTrue(math.isclose(settled(music.gate), expected, rel_tol=1e-4))
            prompt.deactivate()
            self.assertEqual(settled(music.gate), 1)

    def test_interruption(self):
        """INT-1: a call interrupts the session; the gate ends its sound; when the call ends, it may resume."""
        with Session() as session:
            session.set_category(Category.PLAYBACK)
            session.activate()
            session.set_playing(True)
            self.assertEqual(session.gate.begin(480), 480)
            self.command("call", "ring")
            self.assertTrue(self.await_event(session, EventKind.INTERRUPTION_BEGAN).rule)
            self.assertEqual(session.state.activity, Activity.INTERRUPTED)
            self.assertEqual(settled(session.gate), 0)
            self.assertEqual(session.gate.begin(480), 0)
            with self.assertRaises(audiosession.RefusedError) as refused:
                session.activate()
            self.assertTrue(refused.exception.rule)
            self.assertIn("call", str(refused.exception))
            self.command("call", "decline")
            self.assertTrue(self.await_event(session, EventKind.INTERRUPTION_ENDED).should_resume)
            session.activate()
            self.assertTrue(eventually(lambda: session.gate.begin(480) == 480))
            self.assertEqual(settled(session.gate), 1)

    def test_waiting_for_activation(self):
        """ACT-14: a session that may not be active yet waits, and an event reports that it is active."""
        self.command("call", "ring")
        with Session() as session:
            session.set_category(Category.AMBIENT)
            session.request_activation()
            self.assertEqual(session.state.activity, Activity.INACTIVE)
            self.command("call", "decline")
            self.assertEqual(self.await_event(session, EventKind.ACTIVATED).rule, "ACT-14")
            self.assertEqual(session.state.activity, Activity.ACTIVE)
            session.deactivate()
            session.request_activation()
            self.assertEqual(session.state.activity, Activity.ACTIVE)
            self.assertNotIn(EventKind.ACTIVATED, [event.kind for event in session.events()])

    def test_arbiter_killed(self):
        """SRV-3: the arbiter's death and return are inside: the session is as before, and events report it."""
        with Session() as session:
            session.set_category(Category.PLAYBACK)
            session.activate()
            session.set_playing(True)
            self.end_arbiter(signal.SIGKILL)
            self.await_event(session, EventKind.ARBITER_LOST)
            self.assertFalse(session.state.is_connected)
            self.assertEqual(session.gate.begin(480), 480)
            self.await_event(session, EventKind.ARBITER_RETURNED)
            self.assertEqual(session.state.activity, Activity.ACTIVE)
            self.assertEqual(settled(session.gate), 1)

    def test_bad_arguments(self):
        with Session() as session:
            for call in (
                lambda: session.set_category(17), lambda: session.set_category(Category.PLAYBACK, 99),
                lambda: session.set_category(Category.PLAYBACK, options=0x100), lambda: session.prefer(9, 1),
                lambda: session.prefer(Preference.SAMPLE_RATE, math.nan), lambda: Session("a\0b"),
                lambda: session.gate.set_sample_rate(0), lambda: session.gate.begin(-1), lambda: session.gate.begin(2**32),
                lambda: session.gate.apply([array.array("d", [1])]), lambda: session.gate.apply([b"\0\0\0\0"]),
                lambda: session.gate.apply([memoryview(bytearray(9))[1:]]), lambda: session.gate.apply([bytearray(7)]),
                lambda: session.gate.apply([memoryview(array.array("f", [1, 2, 3, 4]))[::2]]),
                lambda: session.gate.apply([array.array("f", [1]), array.array("f", [1, 2])]),
            ):
                with self.assertRaises(BadArgumentError):
                    call()
            self.assertEqual(session.gate.apply([]), 0)
            self.assertEqual(session.gate.apply([array.array("f"), array.array("f")]), 0)
            self.assertEqual(session.state.activity, Activity.INACTIVE)

    def test_closing(self):
        """A closed session raises, and does not crash."""
        session = Session()
        gate, number = session.gate, session.id
        session.close()
        session.close()
        for call in (
            session.activate, session.dispatch, session.next_event, session.fileno, session.wait, lambda: session.id,
            lambda: session.state, lambda: gate.apply([array.array("f", [1])]), lambda: gate.begin(1), gate.read,
            lambda: gate.set_sample_rate(48_000),
        ):
            with self.assertRaises(ClosedError):
                call()
        self.assertTrue(eventually(lambda: number not in self.sessions()))

    def sessions(self):
        """The numbers of the arbiter's sessions."""
        return [each["id"] for each in json.loads(self.command("status", "--json"))["sessions"]]

    def test_forgotten(self):
        """A session that is no longer referenced is closed, with a warning."""
        session = Session()
        number = session.id
        self.assertIn(number, self.sessions())
        with self.assertWarns(ResourceWarning):
            del session
            gc.collect()
        self.assertTrue(eventually(lambda: number not in self.sessions()))

    def test_threads(self):
        """Threads that use a session and its gate while another one closes it get an error, no crash."""
        for _ in range(20):
            session = Session()
            session.activate()
            outcomes, made = [], set()

            def use(call):
                try:
                    while True:
                        call()
                        made.add(call)
                except ClosedError:
                    outcomes.append(call)
                except BaseException as error:
                    outcomes.append(error)

            block = array.array("f", [1.0] * 480)
            calls = [
                lambda: session.gate.apply([block]), lambda: session.gate.begin(480), lambda: session.set_playing(True),
                lambda: list(session.events()), session.wait,
            ]
            threads = [threading.Thread(target=use, args=[call]) for call in calls]
            for thread in threads:
                thread.start()
            # All but `wait`, which may have no event to return.
            self.assertTrue(eventually(lambda: made >= set(calls[:-1])))
            session.close()
            for thread in threads:
                thread.join(20)
            self.assertEqual(len(outcomes), len(calls))
            self.assertFalse([each for each in outcomes if isinstance(each, BaseException)])
            self.assertTrue(session._handle._is_freed, "by the last call")

    def test_signal_handler(self):
        """A signal handler uses and closes the session in the middle of calls of its own thread."""

        def handle(session):
            session.set_playing(False)
            session.close()

        for call in (lambda session: session.gate.begin(480), lambda session: session.state):
            for attempt in range(200):
                session = Session(required=False)
                before = signal.signal(signal.SIGALRM, lambda *_: handle(session))
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.0001 + 0.000001 * attempt)
                    with self.assertRaises(ClosedError):
                        while True:
                            call(session)
                finally:
                    signal.signal(signal.SIGALRM, before)

    def test_fork(self):
        """A child process that was forked has no part in the session, and does not end it."""
        with Session() as session:
            session.activate()
            child = os.fork()
            if child == 0:
                try:
                    session.activate()
                except ClosedError:
                    session.close()
                    os._exit(7)
                os._exit(1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
            session.set_playing(True)
            self.assertEqual(self.sessions(), [session.id])

    def test_buffers(self):
        """The gate keeps no buffer, and leaves nothing for the garbage collection."""
        with Session() as session:
            block = array.array("f", [1.0] * 64)
            data = bytearray(block.tobytes())
            gc.collect()
            gc.disable()
            try:
                session.gate.apply([block, memoryview(data)])
                block.append(1)
                data.append(1)
                self.assertEqual(gc.collect(), 0)
            finally:
                gc.enable()

    def test_waiting(self):
        with Session() as session:
            self.assertIsNone(session.wait(0))
            self.assertIsNone(session.wait(-1))
            waiting = threading.Thread(target=self.await_event, args=(session, EventKind.VOLUME_CHANGED))
            endless = threading.Thread(target=session.wait, args=[math.inf])
            waiting.start()
            self.command("volume", "0.5")
            waiting.join(20)
            endless.start()
            self.command("volume", "0.25")
            endless.join(20)
            self.assertFalse(waiting.is_alive() or endless.is_alive())
            self.assertEqual(session.state.volume, 0.25)


class NoArbiterTests(ArbiterTestCase):
    def setUp(self):
        super().setUp()
        self.use(AUDIOSESSIOND=str(self.folder / "missing"))

    def test_required(self):
        with self.assertRaises(audiosession.NoArbiterError) as error:
            Session()
        self.assertIn("missing", str(error.exception))

    def test_optional(self):
        """Without an arbiter, requests succeed, there are no events, and the gate is open."""
        with Session(required=False) as session:
            self.assertIsInstance(session.unavailable, audiosession.NoArbiterError)
            session.set_category(Category.PLAYBACK)
            session.activate()
            session.set_playing(True)
            session.set_recording(False)
            session.deactivate()
            self.assertEqual((session.id, session.fileno()), (0, -1))
            self.assertEqual(session.state, audiosession.State())
            self.assertIsNone(session.wait(0.01))
            with self.assertRaises(audiosession.NoArbiterError):
                session.wait()
            block = array.array("f", [0.5, -0.25])
            self.assertEqual(session.gate.apply([block]), 2)
            self.assertEqual(list(block), [0.5, -0.25])
            self.assertFalse(session.gate.read().is_paused)


if __name__ == "__main__":
    unittest.main()
