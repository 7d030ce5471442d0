"""The code of Documentation/SessionsInPython.md, at a real arbiter."""

import array
import contextlib
import io
import unittest

from audiosession import Category, Session
from support import ArbiterTestCase


class Mixer:
    """Renders ones."""

    def __init__(self):
        self.rendered = []

    def render(self, sounding, frames):
        self.rendered.append(sounding)
        self.plane = array.array("f", [1.0] * sounding + [0.0] * (frames - sounding))
        return [self.plane]


class PageTests(ArbiterTestCase):
    def test_the_gate_in_a_callback(self):
        with Session() as session:
            mixer = Mixer()
            # [callback]
            def callback(frames):
                planes = mixer.render(session.gate.begin(frames), frames)  # fewer, or none, while paused
                session.gate.apply(planes)
            # [end]
            session.set_category(Category.PLAYBACK)
            session.activate()
            session.set_playing(True)
            for _ in range(100):
                callback(480)
            self.assertEqual(mixer.rendered[-1], 480)
            self.assertEqual(mixer.plane[-1], 1.0)

    def test_the_log(self):
        with Session() as session, contextlib.redirect_stdout(io.StringIO()) as printed:
            session.set_category(Category.PLAYBACK)
            session.activate()
            # [log]
            for decision in session.request({"request": "log", "after": 0})["decisions"]:
                print(decision["action"], decision.get("refusal", ""))
            # [end]
        self.assertIn("activate", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
