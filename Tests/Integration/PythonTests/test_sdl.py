"""The example in SDL2, built with the installed library: the samples that it plays."""

import array
import itertools
import math
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import unittest

from audiosession import Category, Session, WebType
from support import ROOT, ArbiterTestCase, eventually

RATE = 48000
WINDOW = RATE // 50
#: Frames after a change within which every fade and every ramp ends.
MARGIN = RATE * 3 // 4


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300)


def levels(samples):
    """Returns the highest and the lowest peak of the windows, each of which is longer than a period of
    the music. The highest is that of a step, the lowest that of the music between steps."""
    peaks = [max(map(abs, samples[i:i + WINDOW])) for i in range(0, len(samples) - WINDOW + 1, WINDOW)]
    return max(peaks), min(peaks)


def game(begin, count):
    """Returns what the game plays from a frame on: the formulas of the example."""
    notes, step = (110, 132, 164, 98), RATE // 2
    samples = []
    for frame in range(begin, begin + count):
        note, seconds = frame // step % 4, frame % step / RATE
        turns = frame // (4 * step) * sum(notes) * step + sum(notes[:note]) * step + (frame % step + 1) * notes[note]
        music = 0.2 * math.sin(2 * math.pi * turns / RATE)
        samples.append(music + 0.3 * math.exp(-40 * seconds) * math.sin(2 * math.pi * 880 * seconds))
    return samples


def distance(some, others):
    return max(abs(one - other) for one, other in zip(some, others))


class SDLTests(ArbiterTestCase):
    #: Sessions of the test itself, which have to answer the service.
    sessions = []

    @classmethod
    def setUpClass(cls):
        build = pathlib.Path(os.environ["AUDIOSESSION_LIBRARY"]).parent
        work = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, work)
        run("cmake", "--install", build, "--prefix", work / "prefix")
        run("cmake", "-S", ROOT / "Examples/SDL", "-B", work / "build", "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={work / 'prefix'}", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror")
        run("cmake", "--build", work / "build")
        cls.program = work / "build/beat"

    def start(self):
        self.recording = self.folder / "samples"
        self.log = open(self.folder / "log", "w+b")  # SDL itself writes there
        self.addCleanup(self.log.close)
        environment = {
            **os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "disk", "SDL_DISKAUDIOFILE": str(self.recording),
            "SDL_DISKAUDIODELAY": "5"}
        self.beat = subprocess.Popen(
            [self.program], stdout=subprocess.PIPE, stderr=self.log, bufsize=0, env=environment)
        self.addCleanup(self.beat.stdout.close)
        self.addCleanup(self.beat.wait)
        self.addCleanup(self.beat.kill)

    def expect(self, line):
        """Reads a line of the program, which has to be this one."""
        read = b""
        while not read.endswith(b"\n"):
            self.assertTrue(select.select([self.beat.stdout], [], [], 30)[0], f"waited for '{line}'; read {read!r}")
            byte = self.beat.stdout.read(1)
            self.assertTrue(byte, f"the program has ended; waited for '{line}'; read {read!r}")
            read += byte
        self.assertEqual(read.decode(), f"beat: {line}\n")

    def frames(self):
        return self.recording.stat().st_size // 4 if self.recording.exists() else 0

    def play(self):
        """Returns a second of what the program plays from now on, when every ramp has ended."""
        begin = self.frames() + MARGIN

        def has_played():
            for session in self.sessions:
                session.dispatch()  # answers the service
            return self.frames() >= begin + RATE

        self.assertTrue(eventually(has_played))
        samples = array.array("f")
        with open(self.recording, "rb") as file:
            file.seek(begin * 4)
            samples.frombytes(file.read(RATE * 4))
        return samples

    def expect_levels(self, highest, lowest):
        found = levels(self.play())
        self.assertAlmostEqual(found[0], highest, delta=0.1 * highest + 1e-6)
        self.assertAlmostEqual(found[1], lowest, delta=0.05 * lowest + 1e-6)

    def end(self):
        self.beat.terminate()
        self.assertEqual(self.beat.wait(30), 0)

    def test_call(self):
        """It fades out when a call rings, is silent meanwhile, and goes on with the very next frame."""
        self.start()
        self.expect("plays")
        highest, lowest = levels(self.play())
        self.assertTrue(0.45 < highest < 0.5 and 0.19 < lowest <= 0.2, (highest, lowest))
        for _ in range(2):
            self.command("call", "ring")
            self.expect("interrupted")
            self.assertEqual(levels(self.play()), (0, 0))
            self.command("call", "decline")
            self.expect("plays")
            self.expect_levels(highest, lowest)
        self.end()
        self.expect_exact_continuation()

    def expect_exact_continuation(self):
        """What the program plays in the end is what comes after the frames that it has played before."""
        samples = array.array("f", self.recording.read_bytes())
        # Sound has no long runs of zeros; SDL may write a silent buffer before it calls the program.
        silent = sum(run for run in (len(list(run)) for value, run in itertools.groupby(samples) if value == 0) if run > 16)
        self.assertGreater(silent, 2 * RATE)
        begin = len(samples) - RATE // 2
        played = samples[begin:begin + RATE // 4]
        # A few frames of the fades may be zeros as well.
        delays = [d for d in range(silent - 8, silent + 1) if distance(played, game(begin - d, len(played))) < 1e-4]
        self.assertEqual(len(delays), 1, silent)

    def test_other_sessions(self):
        """It is lowered while another session ducks, and has no music while one plays; its steps go on."""
        self.start()
        self.expect("plays")
        highest, lowest = levels(self.play())
        with Session() as other:
            self.sessions = [other]
            other.set_web_type(WebType.TRANSIENT)
            other.activate()
            self.expect_levels(highest * 10 ** (-14 / 20), lowest * 10 ** (-14 / 20))
            other.deactivate()
            self.expect_levels(highest, lowest)
            other.set_category(Category.PLAYBACK)
            other.activate()
            other.set_playing(True)
            self.expect("without music")
            without_music = levels(self.play())
            self.assertTrue(0.28 < without_music[0] < 0.3 and without_music[1] < 1e-6, without_music)
            other.deactivate()
            self.expect("with music")
            self.expect_levels(highest, lowest)
            self.sessions = []
        self.end()

    def test_start(self):
        """Started during a call, it waits for its end; started while another session plays, it has no music."""
        self.command("call", "ring")
        self.start()
        self.expect("waits")
        self.assertEqual(levels(self.play()), (0, 0))
        self.command("call", "decline")
        self.expect("plays")
        self.assertGreater(levels(self.play())[1], 0.19)
        self.end()
        with Session() as other:
            other.set_category(Category.PLAYBACK)
            other.activate()
            other.set_playing(True)
            self.start()
            self.expect("plays without music")
            self.sessions = [other]
            self.assertLess(levels(self.play())[1], 1e-6)
            self.sessions = []
        self.expect("with music")
        self.end()

    def test_without_arbiter(self):
        """Without a service it plays as if there were no sessions."""
        self.use(AUDIOSESSIOND=str(self.folder / "missing"))
        self.start()
        self.expect("plays")
        self.log.seek(0)
        self.assertIn(b"plays without a session", self.log.read())
        self.assertGreater(levels(self.play())[0], 0.3)
        self.end()


if __name__ == "__main__":
    unittest.main()
