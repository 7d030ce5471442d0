"""The examples in Python, as programs."""

import os
import select
import subprocess
import sys
import unittest

from audiosession import Category, Session
from support import ROOT, ArbiterTestCase, eventually

EXAMPLES = ROOT / "Examples/Python"


class ExampleTests(ArbiterTestCase):
    def start(self, name, *arguments):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen(
            [sys.executable, EXAMPLES / name, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
            env=environment)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def expect(self, process, line):
        """Reads a line of a program, which has to be this one."""
        read = b""
        while not read.endswith(b"\n"):
            self.assertTrue(select.select([process.stdout], [], [], 30)[0], f"waited for '{line}'; read {read!r}")
            byte = process.stdout.read(1)
            self.assertTrue(byte, f"the program has ended; waited for '{line}'; read {read!r}")
            read += byte
        self.assertEqual(read.decode(), f"{line}\n")

    def await_playing(self):
        """Waits until the example's session plays."""
        self.assertTrue(eventually(lambda: '"playing":true' in self.command("status", "--json")))

    def test_game(self):
        game = self.start("game.py", "--frames", "1000000")
        self.expect(game, "game: plays")
        self.await_playing()
        for _ in range(2):
            self.command("call", "ring")
            self.expect(game, "game: paused")
            self.command("call", "decline")
            self.expect(game, "game: continues")

    def test_game_during_a_call(self):
        """A game that begins while a call rings is paused until it has ended."""
        self.command("call", "ring")
        game = self.start("game.py", "--frames", "30")
        self.expect(game, "game: plays")
        self.expect(game, "game: paused")
        self.command("call", "decline")
        self.expect(game, "game: continues")
        self.assertEqual(game.wait(60), 0)

    def test_game_end(self):
        self.assertEqual(self.start("game.py", "--frames", "3").wait(60), 0)

    def test_assistant(self):
        """The assistant lowers others while its command runs, and no longer."""
        with Session() as music:
            music.set_category(Category.PLAYBACK)
            music.activate()
            music.set_playing(True)
            # The last argument is the text; it ends when the file exists.
            script = "while ! [ -e \"$0\" ]; do sleep 0.01; done"
            gate = str(self.folder / "spoken")
            assistant = self.start("assistant.py", "--command", f"sh -c '{script}'", gate)
            self.assertTrue(eventually(lambda: music.gate.read().attenuation > 0))
            open(gate, "w").close()
            self.assertEqual(assistant.wait(60), 0)
            self.assertTrue(eventually(lambda: music.gate.read().attenuation == 0))

    def test_assistant_interrupted(self):
        assistant = self.start("assistant.py", "--command", "sleep", "1000")
        self.await_playing()
        self.command("call", "ring")
        self.assertEqual(assistant.wait(60), 1)
        self.assertIn(b"assistant: interrupted\n", assistant.stdout.read())

    def test_assistant_without_arbiter(self):
        self.use(AUDIOSESSIOND=str(self.folder / "missing"))
        self.assertEqual(self.start("assistant.py", "--command", "true", "text").wait(60), 0)
        missing = self.start("assistant.py", "--command", str(self.folder / "missing"), "text")
        self.assertEqual(missing.wait(60), 1)
        self.assertIn(b"No such file", missing.stdout.read())


if __name__ == "__main__":
    unittest.main()
